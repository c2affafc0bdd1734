namespace Weir.Lab.Engine;

/// <summary>One size or shape of the work: contenders of one case alternate, and only they are compared.</summary>
internal sealed record Case(string Name, IReadOnlyList<Contender> Contenders)
{
    /// <summary>How often each contender is measured.</summary>
    public required int Rounds { get; init; }

    /// <summary>Whether its contenders wait and hardly compute: then the contenders of a round run at the same time.</summary>
    public bool AtOnce { get; init; }

    /// <summary>Whether every contender that can be warmed up runs unmeasured first.</summary>
    public bool WarmUp { get; init; } = true;

    /// <summary>
    /// How long each contender is warmed up, its pauses not counted: at least twice, eight times at most, and no more once
    /// <see cref="Patience"/> is over. Zero: once. Code that a runtime compiles again while it runs needs seconds to become what users meet.
    /// </summary>
    public TimeSpan WarmFor { get; init; } = TimeSpan.Zero;

    /// <summary>Figures from elsewhere that stand in the table: the document's, and computed bounds.</summary>
    public IReadOnlyList<Row> Given { get; init; } = [];

    /// <summary>What its contenders share with those of other cases, or null; disposed once after the last case of the experiment.</summary>
    public IAsyncDisposable? Shared { get; init; }

    /// <summary>How long one step of one contender may take before it counts as hung.</summary>
    public TimeSpan Patience { get; init; } = TimeSpan.FromSeconds(120);
}
