namespace Weir.Jobs.Rules;

/// <summary>What an event did.</summary>
internal enum JobVerdict
{
    /// <summary>It was applied.</summary>
    Applied,

    /// <summary>An outcome of an attempt whose replica was presumed to be gone: it was applied all the same, and is counted.</summary>
    Late,

    /// <summary>It changes nothing.</summary>
    NoChange,

    /// <summary>An outcome or an item of an attempt that is over: ignored, and counted.</summary>
    Stale,

    /// <summary>It is refused in this state.</summary>
    Refused,

    /// <summary>A new job with the same call that names this one.</summary>
    NewJob,

    /// <summary>The job is deleted.</summary>
    Gone,
}
