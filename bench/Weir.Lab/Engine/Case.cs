namespace Weir.Lab.Engine;

/// <summary>One size or shape of the work: contenders of one case alternate, and only they are compared.</summary>
internal sealed record Case(string Name, IReadOnlyList<Contender> Contenders)
{
    /// <summary>How often each contender is measured.</summary>
    public required int Rounds { get; init; }

    /// <summary>Whether every contender runs once unmeasured first.</summary>
    public bool WarmUp { get; init; } = true;

    /// <summary>For at least how long a contender is warmed up: its warm-up is repeated until then.</summary>
    public TimeSpan WarmFor { get; init; }

    /// <summary>Figures from elsewhere that stand in the table: the document's, and computed bounds.</summary>
    public IReadOnlyList<Row> Given { get; init; } = [];

    /// <summary>How long one step of one contender may take before it counts as hung.</summary>
    public TimeSpan Patience { get; init; } = TimeSpan.FromSeconds(120);
}
