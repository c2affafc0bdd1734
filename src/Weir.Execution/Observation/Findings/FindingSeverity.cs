namespace Weir.Execution.Observation.Findings;

/// <summary>How bad a finding is; the worst first.</summary>
internal enum FindingSeverity
{
    /// <summary>Calls fail now.</summary>
    Failing,

    /// <summary>Calls wait, or are slow.</summary>
    Waiting,

    /// <summary>It explains what is seen.</summary>
    Notice,
}
