namespace Weir.Jobs.Schedules;

/// <summary>The occurrences of a schedule cannot be computed.</summary>
/// <param name="fault">Why.</param>
/// <param name="message">What is wrong, as a whole sentence with the value.</param>
/// <param name="inner">The cause; <c>null</c> where there is none.</param>
internal sealed class ScheduleException(ScheduleFault fault, string message, Exception? inner = null) : Exception(message, inner)
{
    public ScheduleFault Fault => fault;
}
