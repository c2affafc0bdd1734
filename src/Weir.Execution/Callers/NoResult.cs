namespace Weir.Execution;

/// <summary>What stands in the place of a result where an operation gives none.</summary>
public readonly struct NoResult;
