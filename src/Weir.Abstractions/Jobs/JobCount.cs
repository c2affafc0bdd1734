namespace Weir;

/// <summary>How many jobs of a kind are in a state.</summary>
/// <param name="Kind">The kind.</param>
/// <param name="State">The state.</param>
/// <param name="Count">How many; at most 10,001, which means more than 10,000.</param>
public readonly record struct JobCount(string Kind, JobState State, int Count);
