namespace Weir.Execution.Processes;

/// <summary>Where the control groups of a pool's workers are made. Linux only.</summary>
internal interface IControlGroups
{
    /// <summary>The pool is drained: no further group is made.</summary>
    void Release();
}
