namespace Weir.Lab.Engine;

/// <summary>One figure that one round of one contender gave.</summary>
internal readonly record struct Reading(string Metric, double Value, string Unit);
