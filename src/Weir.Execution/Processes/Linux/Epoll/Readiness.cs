namespace Weir.Execution.Processes.Linux.Epoll;

/// <summary>What epoll is asked for and answers; the kernel's own numbers.</summary>
[Flags]
internal enum Readiness : uint
{
    None = 0,
    Readable = 0x1,
    Writable = 0x4,

    /// <summary>Reported whether asked for or not.</summary>
    Error = 0x8,

    /// <summary>Reported whether asked for or not.</summary>
    HungUp = 0x10,
}
