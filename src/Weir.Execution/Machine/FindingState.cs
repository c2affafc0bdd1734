namespace Weir.Execution.Machine;

/// <summary>What a finding means for an application.</summary>
internal enum FindingState
{
    /// <summary>As good as it can be.</summary>
    Full,

    /// <summary>It works, with less than elsewhere.</summary>
    Reduced,

    /// <summary>Weir needs it, and it is not there.</summary>
    Missing,
}
