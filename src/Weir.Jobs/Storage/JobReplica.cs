namespace Weir.Jobs.Storage;

/// <summary>One process that uses a store.</summary>
/// <param name="Id">A new one for each start.</param>
/// <param name="Kinds">The kinds of which it runs jobs, with the signatures of their operations; none where it runs nothing.</param>
internal sealed record JobReplica(Guid Id, IReadOnlyList<(string Kind, ulong Signature)> Kinds);
