using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>
/// The deadline of the call that the current flow runs, for the calls that it makes itself. Flows with the execution context; may be used
/// concurrently.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class AmbientDeadline
{
    // The clock of the machine, as ticks of the stopwatch: a change of the date moves no deadline.
    private static readonly AsyncLocal<long> At = new();

    /// <summary>How long the current call may still take, not negative; <c>null</c> where it has no deadline, and outside a call.</summary>
    public static TimeSpan? Remaining => At.Value is not 0 and var at ? new TimeSpan(Math.Max(0, at - Now())) : null;

    /// <summary>Begins a call with a deadline on the current flow, which must be one of its own: the value ends with it.</summary>
    /// <param name="remaining">How long the call may take.</param>
    public static void Set(TimeSpan remaining) => At.Value = Now() + Math.Max(0, remaining.Ticks);

    private static long Now() => (long)(System.Diagnostics.Stopwatch.GetTimestamp() * ((double)TimeSpan.TicksPerSecond / System.Diagnostics.Stopwatch.Frequency));
}
