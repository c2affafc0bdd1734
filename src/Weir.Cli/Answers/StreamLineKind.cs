namespace Weir.Cli.Answers;

/// <summary>What a line of a stream is.</summary>
internal enum StreamLineKind
{
    /// <summary>An item.</summary>
    Item,

    /// <summary>The end of a complete stream.</summary>
    End,

    /// <summary>The end of one that failed.</summary>
    Problem,

    /// <summary>The end of one that continues in another request.</summary>
    Retry,
}
