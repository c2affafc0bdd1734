namespace Weir.Execution.Pools.Scheduling;

/// <summary>Why a worker retires: the first ones are why it is to be replaced by another one.</summary>
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

    /// <summary>An operator asked for another one.</summary>
    Asked,

    /// <summary>It had no call for the idle timeout.</summary>
    Idle,

    /// <summary>It uses too much memory.</summary>
    Memory,

    /// <summary>The maximum was lowered.</summary>
    Size,

    /// <summary>Another pool needs its place on the host.</summary>
    Capacity,

    /// <summary>The pool drains.</summary>
    Drain,
}
