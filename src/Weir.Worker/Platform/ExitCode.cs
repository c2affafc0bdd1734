namespace Weir.Worker.Platform;

/// <summary>Exit codes of a worker, for people; the host reads BYE instead.</summary>
internal static class ExitCode
{
    public const int Drained = 0;
    public const int StartFailed = 1;
    public const int ProtocolViolation = 2;
    public const int ChannelEnded = 3;
    public const int OutOfMemory = 4;

    /// <summary>EX_USAGE of sysexits.h.</summary>
    public const int Usage = 64;

    /// <summary>As shells: there is such a program, and it cannot be run.</summary>
    public const int ProgramRefused = 126;

    /// <summary>As shells: there is no such program.</summary>
    public const int ProgramMissing = 127;
}
