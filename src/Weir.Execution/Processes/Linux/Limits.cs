using Weir.Execution.Processes.Linux.Native;

namespace Weir.Execution.Processes.Linux;

/// <summary>Applies a worker's limits from outside and reads them back.</summary>
internal static unsafe class Limits
{
    /// <exception cref="LaunchException">A limit did not hold: no worker is better than one without its limit.</exception>
    public static void Apply(int pid, WorkerLimits limits)
    {
        // A core dump of a worker would hold what its callers sent it.
        Set(pid, LimitCalls.Core, 0, "RLIMIT_CORE");
        if (limits.MemoryBytes is { } bytes)
        {
            Set(pid, LimitCalls.Data, (ulong)bytes, "RLIMIT_DATA (the pool's MemoryLimitBytes)");
        }
    }

    private static void Set(int pid, int resource, ulong value, string name)
    {
        var wanted = new LimitCalls.Limit { Soft = value, Hard = value };
        if (LimitCalls.Set(pid, resource, &wanted, null) != 0)
        {
            throw new LaunchException(
                WeirCodes.LimitNotApplied,
                $"{name} of {value} could not be applied to worker {pid}: prlimit failed with {Errno.Describe(Errno.Last)}. "
                + "A limit above the host's own hard limit (ulimit -H) needs CAP_SYS_RESOURCE: lower the one or raise the other.");
        }

        LimitCalls.Limit held;
        if (LimitCalls.Set(pid, resource, null, &held) != 0 || held.Soft != value || held.Hard != value)
        {
            throw new LaunchException(
                WeirCodes.LimitNotApplied,
                $"{name} of {value} was applied to worker {pid} but reads back as {held.Soft}; something on this machine changes the limits of other processes.");
        }
    }
}
