namespace Weir.Lab.Engine;

/// <summary>What a case gave.</summary>
internal sealed class CaseResult
{
    public List<Row> Rows { get; } = [];

    public List<Absence> Missing { get; } = [];

    public List<Absence> Later { get; } = [];

    public List<Failure> Failed { get; } = [];

    public List<Timeline> Timelines { get; } = [];
}
