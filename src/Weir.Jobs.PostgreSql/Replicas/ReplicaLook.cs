using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Replicas;

/// <summary>What a process asks with its renewal.</summary>
/// <param name="Ids">The one that it is renewed as, and those that it had before.</param>
/// <param name="Kinds">The kinds that it runs.</param>
/// <param name="Signatures">Its signatures of them.</param>
/// <param name="Watched">The jobs that it watches.</param>
/// <param name="Declares">Whether others whose lease is over are presumed lost: up to this time of the database.</param>
internal sealed record ReplicaQuestion(Guid[] Ids, string[] Kinds, long[] Signatures, Guid[] Watched, DateTime? Declares);

/// <summary>What a renewal found.</summary>
internal sealed class ReplicaLook
{
    /// <summary>The time of the database; <c>null</c> where this process was presumed lost: then nothing else was asked.</summary>
    public DateTime? Renewed { get; set; }

    /// <summary>Those that were presumed lost with this renewal.</summary>
    public List<(Guid Id, string Host)> Declared { get; } = [];

    /// <summary>Attempts of processes that are presumed lost: 1,000 at most.</summary>
    public List<LostAttempt> Lost { get; } = [];

    /// <summary>Attempts of this process, by the database: 10,000 at most.</summary>
    public List<LostAttempt> Own { get; } = [];

    public List<string> Paused { get; } = [];

    public List<string> Ready { get; } = [];

    public DateTimeOffset? NextDue { get; set; }

    /// <summary>Attempts of this process that are to stop.</summary>
    public List<AttemptId> Stops { get; } = [];

    /// <summary>The jobs that were asked for, in no order; <c>null</c> for one that has ended, or is gone.</summary>
    public List<(Guid Job, WatchedState? State)> Watched { get; } = [];

    /// <summary>Signatures that other processes have of the kinds, where they differ.</summary>
    public List<(string Kind, long Signature)> Foreign { get; } = [];

    /// <summary>How many other processes there are that are not presumed lost.</summary>
    public long Others { get; set; }
}
