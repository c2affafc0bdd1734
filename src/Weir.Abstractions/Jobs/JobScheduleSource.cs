namespace Weir;

/// <summary>Who declared a schedule. The numbers are stored.</summary>
public enum JobScheduleSource
{
    /// <summary>A <c>[Schedule]</c> of an operation, as it stands there.</summary>
    Code = 0,

    /// <summary>The section <c>Weir:Jobs:Schedules</c>, at least in part.</summary>
    Configuration = 1,
}
