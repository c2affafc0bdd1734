using System.Runtime.InteropServices;
using Weir.Execution.Threading;

namespace Weir.Execution.Processes.Linux.Interop;

/// <summary>Creates the pipes and socket pairs of a worker, and prevents a worker from inheriting any other descriptor of the host.</summary>
internal static unsafe class DescriptorSetup
{
    /// <summary>Without shared data, all descriptors of a worker have numbers below this one; the sources of dup2 must have this number or a higher one.</summary>
    public const int FirstFree = 10;

    private static readonly RetryingLazy<object> Sealed = new(SealInherited);

    /// <summary>
    /// Marks, once per process and before the first worker, every descriptor from 3 on as close-on-exec. .NET opens its own
    /// that way; this covers the descriptors that the host inherited without the flag: a lock file, a shell's pipes.
    /// </summary>
    /// <remarks>
    /// The cost: a descriptor that the application inherited and wants to pass to its own child processes (socket activation,
    /// a job server) gets the flag too. The application must clear it (FD_CLOEXEC) after the first pool has started. Descriptors
    /// that a native library opens later without the flag are closed in the worker itself, where the C library supports that.
    /// </remarks>
    public static void SealOnce() => _ = Sealed.Value;

    /// <summary>A pipe; both ends are close-on-exec, the read end does not block.</summary>
    public static (Descriptor Read, Descriptor Write) Pipe()
    {
        var ends = stackalloc int[2];
        if (DescriptorCalls.Pipe(ends, DescriptorCalls.OpenCloseOnExec) != 0)
        {
            throw Failed("pipe2", Errno.Last);
        }

        var read = new Descriptor(ends[0]);
        var write = new Descriptor(ends[1]);
        SetNonBlocking(read);
        return (read, write);
    }

    /// <summary>A pair of connected stream sockets; both ends are close-on-exec and block.</summary>
    public static (Descriptor Host, Descriptor Worker) SocketPair()
    {
        var ends = stackalloc int[2];
        if (SocketCalls.Pair(SocketCalls.UnixFamily, SocketCalls.Stream | SocketCalls.CloseOnExec, 0, ends) != 0)
        {
            throw Failed("socketpair", Errno.Last);
        }

        return (new Descriptor(ends[0]), new Descriptor(ends[1]));
    }

    /// <summary>Another number of the same open file, close-on-exec.</summary>
    public static Descriptor Duplicate(SafeHandle file)
    {
        var added = false;
        file.DangerousAddRef(ref added);
        try
        {
            var number = DescriptorCalls.Control((int)file.DangerousGetHandle(), DescriptorCalls.DuplicateCloseOnExec, FirstFree);
            return number >= 0 ? new Descriptor(number) : throw Failed("fcntl(F_DUPFD_CLOEXEC)", Errno.Last);
        }
        finally
        {
            file.DangerousRelease();
        }
    }

    /// <summary>Moves a descriptor out of the range that dup2 in the child writes to, so that no source is overwritten.</summary>
    /// <param name="descriptor">Owned from now on.</param>
    /// <param name="least">The least number that it may have.</param>
    public static Descriptor Raise(Descriptor descriptor, int least = FirstFree)
    {
        if (descriptor.Number >= least)
        {
            return descriptor;
        }

        using (descriptor)
        {
            var raised = DescriptorCalls.Control(descriptor.Number, DescriptorCalls.DuplicateCloseOnExec, least);
            return raised >= 0 ? new Descriptor(raised) : throw Failed("fcntl(F_DUPFD_CLOEXEC)", Errno.Last);
        }
    }

    public static void SetNonBlocking(Descriptor descriptor)
    {
        var flags = DescriptorCalls.Control(descriptor.Number, DescriptorCalls.GetStatusFlags, 0);
        if (flags < 0 || DescriptorCalls.Control(descriptor.Number, DescriptorCalls.SetStatusFlags, flags | DescriptorCalls.NonBlocking) < 0)
        {
            throw Failed("fcntl(O_NONBLOCK)", Errno.Last);
        }
    }

    public static LaunchException Failed(string call, int errno) =>
        new(WeirCodes.WorkerStartRefused, $"{call} failed with {Errno.Describe(errno)}{Advice(errno)}.");

    private static string Advice(int errno) => errno switch
    {
        Errno.TooManyFiles => ": the host has no descriptor left; raise its limit (ulimit -n, LimitNOFILE)",
        Errno.TryAgain => ": the host cannot start more processes or threads; raise pids.max or ulimit -u (TasksMax, LimitNPROC)",
        Errno.NoMemory => ": there is no memory left; raise memory.max (MemoryMax), or lower MaxWorkers",
        Errno.NoEntry => ": the program does not exist on this machine any more",
        _ => "",
    };

    private static object SealInherited()
    {
        if (DescriptorCalls.SystemCall(DescriptorCalls.CloseRange, 3, int.MaxValue, DescriptorCalls.CloseRangeCloseOnExec) == 0)
        {
            return new object();
        }

        // Before Linux 5.11: one by one. A number that was closed since it was listed gives EBADF, which can be ignored.
        foreach (var path in Directory.EnumerateFileSystemEntries("/proc/self/fd"))
        {
            if (int.TryParse(Path.GetFileName(path), out var number) && number > 2)
            {
                var flags = DescriptorCalls.Control(number, DescriptorCalls.GetDescriptorFlags, 0);
                if (flags >= 0)
                {
                    _ = DescriptorCalls.Control(number, DescriptorCalls.SetDescriptorFlags, flags | DescriptorCalls.CloseOnExec);
                }
            }
        }

        return new object();
    }
}
