namespace Weir.Execution.Processes.Linux.Epoll;

/// <summary>The events that epoll waits for and reports; the values are the kernel's.</summary>
[Flags]
internal enum Readiness : uint
{
    None = 0,
    Readable = 0x1,
    Writable = 0x4,

    /// <summary>Reported whether requested or not.</summary>
    Error = 0x8,

    /// <summary>Reported whether requested or not.</summary>
    HungUp = 0x10,
}
