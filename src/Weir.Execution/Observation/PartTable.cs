namespace Weir.Execution.Observation;

/// <summary>A table for people. Immutable.</summary>
/// <param name="Title">The head of the first column.</param>
/// <param name="Heads">The heads of the others.</param>
/// <param name="Rows">As many values each as there are columns.</param>
internal sealed record PartTable(string Title, IReadOnlyList<string> Heads, IReadOnlyList<string[]> Rows);
