namespace Weir.Lab.Engine;

/// <summary>What happened in the last round of a contender.</summary>
internal sealed record Timeline(string Contender, string Case, IReadOnlyList<TimelineEvent> Events);
