namespace Weir.Execution.Observation.Findings;

/// <summary>What is wrong, in one sentence, or what explains what is seen.</summary>
/// <param name="Kind">What is found.</param>
/// <param name="Severity">How bad it is.</param>
/// <param name="Pool">The pool; <c>null</c> where it is none.</param>
/// <param name="Operation">The operation, <c>Service/Operation</c>; <c>null</c> where it is none, or not known.</param>
/// <param name="Subject">What else the finding is about, where one pool may have several of the kind: the id of a call.</param>
/// <param name="Sentence">What is wrong, with figures. Without the time since when.</param>
/// <param name="ToDo">What to do.</param>
/// <param name="ReportId">The crash report that shows the cause; <c>null</c> where there is none.</param>
internal sealed record Finding(FindingKind Kind, FindingSeverity Severity, string? Pool, string? Operation, string? Subject, string Sentence, string ToDo, string? ReportId = null)
{
    /// <summary>Since when it is so: the default value, where that is not known, becomes when it was raised.</summary>
    public DateTimeOffset Since { get; init; }

    /// <summary>What a part of the application calls what it found (<see cref="FindingKind.Part"/>); <c>null</c> for all other kinds.</summary>
    public string? Name { get; init; }

    /// <summary>Two findings with the same key are the same finding, with other figures.</summary>
    public (FindingKind, string?, string?, string?) Key => (Kind, Pool, Kind switch { FindingKind.Failing or FindingKind.Blocks => Operation, FindingKind.Part => Name, _ => null }, Subject);
}
