namespace Weir.Protocol.Frames;

/// <summary>The bytes that the payload of each frame has, or of a longer one its fixed part.</summary>
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

    public const int Ready = 16;

    public const int Returned = 8;
}
