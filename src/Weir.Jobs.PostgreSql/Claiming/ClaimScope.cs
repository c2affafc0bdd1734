using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Claiming;

/// <summary>What the claims of one commit depend on.</summary>
internal sealed class ClaimScope
{
    public static readonly IReadOnlyDictionary<string, long[]> NoForeign = new Dictionary<string, long[]>(StringComparer.Ordinal);

    /// <summary>The batch: its claims are filled in.</summary>
    public required JobBatch Batch { get; init; }

    /// <summary>This process.</summary>
    public required Guid Replica { get; init; }

    /// <summary>Whether it may start jobs: it was not presumed to be gone.</summary>
    public bool MayStart { get; init; } = true;

    /// <summary>The kinds that are paused.</summary>
    public required IReadOnlySet<string> Paused { get; init; }

    /// <summary>What runs of kinds with limits. Jobs that are claimed are added.</summary>
    public required IReadOnlyDictionary<string, RunningCounts> Running { get; init; }

    /// <summary>By kind, the signatures that other processes which live have published and this one has not: they run the jobs that have them. Kinds without such signatures need not be there.</summary>
    public IReadOnlyDictionary<string, long[]> Foreign { get; init; } = NoForeign;
}
