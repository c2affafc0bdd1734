using Weir.Execution.Configuration;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.Limits;

/// <summary>The processors that threads may run on.</summary>
internal static unsafe class Affinity
{
    private const int MaskBytes = ProcessorList.Most / 8;

    /// <summary>Moves the calling thread to some processors temporarily: a process that it creates starts there, and counts them correctly from the start.</summary>
    /// <returns>To be disposed on the same thread; that restores the processors of before.</returns>
    /// <exception cref="LaunchException">The operating system refused.</exception>
    public static Loan Lend(IReadOnlyList<int> processors)
    {
        var before = Read(0);
        Set(0, processors);
        return new Loan(before);
    }

    /// <summary>Reads the processors of every thread of a process back, and sets those that differ.</summary>
    /// <exception cref="LaunchException">It could not be applied.</exception>
    public static void Apply(int pid, IReadOnlyList<int> processors)
    {
        ThreadList.Visit(pid, thread =>
        {
            if (Read(thread) is { } held && !held.SequenceEqual(processors))
            {
                Set(thread, processors);
                Require(thread, processors);
            }
        });
    }

    /// <summary>Tries on the calling thread, which is not to be used for anything afterwards.</summary>
    /// <exception cref="LaunchException">It could not be applied.</exception>
    public static void Probe(IReadOnlyList<int> processors)
    {
        Set(0, processors);
        Require(0, processors);
    }

    /// <summary>The processors on which a thread may run, in ascending order; <c>null</c> when it is gone.</summary>
    /// <param name="thread">0 is the calling one.</param>
    public static List<int>? Read(int thread)
    {
        var mask = stackalloc byte[MaskBytes];
        new Span<byte>(mask, MaskBytes).Clear();
        if (ControlCalls.GetAffinity(thread, MaskBytes, mask) != 0)
        {
            return null;
        }

        var processors = new List<int>();
        for (var i = 0; i < ProcessorList.Most; i++)
        {
            if ((mask[i / 8] & (1 << (i % 8))) != 0)
            {
                processors.Add(i);
            }
        }

        return processors;
    }

    private static void Set(int thread, IReadOnlyList<int> processors)
    {
        var mask = stackalloc byte[MaskBytes];
        new Span<byte>(mask, MaskBytes).Clear();
        foreach (var processor in processors)
        {
            mask[processor / 8] |= (byte)(1 << (processor % 8));
        }

        if (ControlCalls.SetAffinity(thread, MaskBytes, mask) != 0 && Errno.Last != Errno.NoSuchProcess)
        {
            throw Refused(processors, Errno.Describe(Errno.Last));
        }
    }

    // The kernel applies the valid part of a mask and ignores the rest without an error.
    private static void Require(int thread, IReadOnlyList<int> processors)
    {
        if (Read(thread) is { } held && !held.SequenceEqual(processors))
        {
            throw Refused(processors, $"they read back as {ProcessorList.Format(held)}");
        }
    }

    private static LaunchException Refused(IReadOnlyList<int> processors, string why) => new(
        WeirCodes.LimitNotApplied,
        $"Processors ({ProcessorList.Format(processors)}) could not be applied: {why}. Name processors that this machine has and this process may use (Cpus_allowed_list in /proc/self/status).");

    /// <summary>A thread that runs on other processors temporarily.</summary>
    /// <param name="before">The processors it had before; <c>null</c> when not known.</param>
    internal readonly struct Loan(List<int>? before) : IDisposable
    {
        public void Dispose()
        {
            if (before is not null)
            {
                Set(0, before);
            }
        }
    }
}
