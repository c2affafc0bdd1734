namespace Weir.Execution.Observation.Findings;

/// <summary>The calls of one operation in the last minute.</summary>
/// <param name="Operation">The operation.</param>
/// <param name="Calls">Those that ended.</param>
/// <param name="Failed">Those that did not succeed.</param>
/// <param name="Error">The type of exception that most of the last failures had; <c>null</c> where it is not known.</param>
internal sealed record OperationState(Operation Operation, long Calls, long Failed, string? Error);
