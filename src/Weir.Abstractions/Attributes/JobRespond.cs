namespace Weir;

/// <summary>When a request of an operation with <see cref="JobAttribute"/> becomes a job, instead of a call that answers with its result.</summary>
public enum JobRespond
{
    /// <summary>Where the request asks for it: <c>Prefer: respond-async</c> (RFC 7240 §4.1). The default.</summary>
    WhenPreferred = 0,

    /// <summary>Every request: the answer is always 202 and the job. An application that serves the operation without <c>MapWeirJobs</c> does not start (WEIR3028).</summary>
    Always = 1,

    /// <summary>No request: only code submits jobs. The preference of a request is ignored, as RFC 7240 allows.</summary>
    Never = 2,
}
