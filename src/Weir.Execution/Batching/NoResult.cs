namespace Weir;

/// <summary>The result type of an operation without a result.</summary>
public readonly struct NoResult;
