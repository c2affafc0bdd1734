namespace Weir.Lab.Engine;

/// <summary>What an experiment gave.</summary>
internal sealed record ExperimentResult(string Name, string Question, string? Document, double Seconds)
{
    public required IReadOnlyList<Row> Rows { get; init; }

    public required IReadOnlyList<Absence> Missing { get; init; }

    public required IReadOnlyList<Absence> Later { get; init; }

    public required IReadOnlyList<Failure> Failed { get; init; }

    public required IReadOnlyList<Timeline> Timelines { get; init; }

    public required IReadOnlyList<Promise> Promises { get; init; }

    /// <summary>What this run did not measure because it was a quick one, or null.</summary>
    public required string? LeftOut { get; init; }

    /// <summary>What contenders run on, by their names.</summary>
    public required IReadOnlyDictionary<string, string> Runtimes { get; init; }
}
