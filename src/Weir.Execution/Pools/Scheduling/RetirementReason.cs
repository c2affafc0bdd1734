namespace Weir.Execution.Pools.Scheduling;

/// <summary>Why a worker is to be replaced by another one.</summary>
internal enum RetirementReason
{
    /// <summary>It is not.</summary>
    None,

    /// <summary>It has had nearly as many calls as it may get.</summary>
    Tasks,

    /// <summary>It has lived long enough.</summary>
    Age,

    /// <summary>It is of an older generation than the pool.</summary>
    Generation,
}
