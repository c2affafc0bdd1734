namespace Weir.Protocol.Frames;

/// <summary>The payload size of each frame type in bytes; for a payload of variable length, the size of its fixed part.</summary>
internal static class PayloadSizes
{
    public const int Abort = 5;

    public const int Bye = 5;

    public const int Call = 24;

    public const int Cancel = 1;

    public const int Credit = 4;

    public const int Hello = 28;

    public const int Log = 28;

    public const int Ping = 8;

    public const int Progress = 12;

    public const int Ready = 16;

    public const int Returned = 8;
}
