using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.Limits;

/// <summary>Resource limits of a process, set by prlimit(2) from outside.</summary>
internal static unsafe class ResourceLimit
{
    // CAP_SYS_RESOURCE, in CapEff of /proc/self/status: may raise a hard limit.
    private const int SystemResource = 24;

    /// <summary>A core dump of a worker would contain the data of its callers.</summary>
    public static void ForbidCore(int pid) => Apply(pid, LimitCalls.Core, 0, "RLIMIT_CORE");

    public static void ApplyMemory(int pid, long bytes) => Apply(pid, LimitCalls.Data, (ulong)bytes, "MemoryLimitBytes (RLIMIT_DATA)");

    /// <summary>The most memory that a worker of this process can be given: the host's own hard limit; <c>null</c> for any.</summary>
    public static long? MostMemory()
    {
        LimitCalls.Limit own;
        return LimitCalls.Set(0, LimitCalls.Data, null, &own) == 0 && own.Hard <= long.MaxValue && !Capability.IsHeld(SystemResource) ? (long)own.Hard : null;
    }

    /// <summary>Checks whether a worker can get this limit: it inherits the host's own hard limit.</summary>
    /// <exception cref="LaunchException">It cannot.</exception>
    public static void ProbeMemory(long bytes)
    {
        LimitCalls.Limit own;
        if (LimitCalls.Set(0, LimitCalls.Data, null, &own) == 0 && own.Hard < (ulong)bytes && !Capability.IsHeld(SystemResource))
        {
            throw Refused("MemoryLimitBytes (RLIMIT_DATA)", (ulong)bytes, $"the host's own hard limit is {own.Hard}");
        }
    }

    private static void Apply(int pid, int resource, ulong value, string name)
    {
        var wanted = new LimitCalls.Limit { Soft = value, Hard = value };
        if (LimitCalls.Set(pid, resource, &wanted, null) != 0)
        {
            throw Refused(name, value, $"prlimit of process {pid} failed with {Errno.Describe(Errno.Last)}");
        }

        LimitCalls.Limit held;
        if (LimitCalls.Set(pid, resource, null, &held) != 0 || held.Soft != value || held.Hard != value)
        {
            throw Refused(name, value, $"it reads back as {held.Soft}: something on this machine changes the limits of other processes");
        }
    }

    private static LaunchException Refused(string name, ulong value, string why) => new(
        WeirCodes.LimitNotApplied,
        $"{name} of {value} could not be applied: {why}. A limit above the host's own hard limit (ulimit -H) needs CAP_SYS_RESOURCE: lower the option, or raise the host's hard limit.");
}
