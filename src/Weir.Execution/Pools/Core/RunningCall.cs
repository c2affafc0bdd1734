namespace Weir.Execution.Pools.Core;

/// <summary>The call that output of a worker belongs to, for logs; true only at the moment it was read.</summary>
/// <param name="CallId">Its id; 0 for none.</param>
/// <param name="Operation">Its operation, where that is known.</param>
internal readonly record struct RunningCall(ulong CallId, Operation? Operation);
