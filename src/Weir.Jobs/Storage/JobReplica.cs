namespace Weir.Jobs.Storage;

/// <summary>One process that uses a store.</summary>
/// <param name="Id">A new one for each start.</param>
/// <param name="Kinds">The kinds of which it runs jobs; none where it runs nothing.</param>
internal sealed record JobReplica(Guid Id, IReadOnlyList<ReplicaKind> Kinds);

/// <summary>A kind of which a process runs jobs.</summary>
/// <param name="Kind">Its name.</param>
/// <param name="Signature">Of its operation.</param>
/// <param name="MaxTotal">How many of its jobs this process lets run at once in all processes; <c>null</c> for no limit.</param>
internal readonly record struct ReplicaKind(string Kind, ulong Signature, int? MaxTotal = null);
