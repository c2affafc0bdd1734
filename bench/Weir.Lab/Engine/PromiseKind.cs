namespace Weir.Lab.Engine;

/// <summary>The three kinds of figure that may decide: nothing else is stable enough on a shared machine.</summary>
internal enum PromiseKind
{
    /// <summary>Lost calls, bytes, processes.</summary>
    Count,

    /// <summary>Between contenders of the same run.</summary>
    Ratio,

    /// <summary>A latency that follows from the design: an item that takes 20 ms cannot take 30.</summary>
    Latency,
}
