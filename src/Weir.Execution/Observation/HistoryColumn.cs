namespace Weir.Execution.Observation;

/// <summary>How the values of several seconds become one.</summary>
internal enum HistoryColumn : byte
{
    /// <summary>A count: it adds up.</summary>
    Sum,

    /// <summary>A level: the highest counts, so that short peaks stay visible.</summary>
    Highest,
}
