namespace Weir;

/// <summary>The order in which the results of a fan-out are returned.</summary>
public enum FanOutOrder
{
    /// <summary>As the requests complete: no result waits for another one.</summary>
    Completion,

    /// <summary>As the requests were given: a result waits for those of the requests before it; while as many as <see cref="FanOutLimits.MaxConcurrency"/> wait, no further requests are read.</summary>
    Input,
}
