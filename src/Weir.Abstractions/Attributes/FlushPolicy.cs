namespace Weir;

/// <summary>When the items of a stream are sent to the caller.</summary>
public enum FlushPolicy
{
    /// <summary>When 32 KB are waiting, or the oldest waiting item is 5 ms old, or the producer is pending.</summary>
    Adaptive = 0,

    /// <summary>After every item.</summary>
    Item = 1,

    /// <summary>When 32 KB are waiting, and at the end.</summary>
    Bulk = 2,
}
