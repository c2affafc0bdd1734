namespace Weir.Execution.Observation;

/// <summary>By what the rows of pools, operations and parts are ordered before a list is cut; the highest first.</summary>
internal enum RowOrder
{
    /// <summary>Pools with findings first and then by their calls, operations by their calls.</summary>
    Default,

    /// <summary>Calls.</summary>
    Calls,

    /// <summary>The 95th percentile of the last minute.</summary>
    P95,

    /// <summary>Calls that did not succeed.</summary>
    Failed,
}
