namespace Weir;

/// <summary>The order in which the results of a fan-out are returned.</summary>
public enum FanOutOrder
{
    /// <summary>As the requests complete: no result waits for another one.</summary>
    Completion,

    /// <summary>As the requests were given: a result waits for those of the requests before it; while it waits it counts for <see cref="FanOutLimits.MaxConcurrency"/>.</summary>
    Input,
}
