using Weir.Jobs.Rules;

namespace Weir.Jobs.Storage;

/// <summary>A job that is submitted. What is stored of it never changes, but for its arguments.</summary>
internal sealed class NewJob
{
    /// <summary>A new one: a commit with one that is taken fails as a whole.</summary>
    public required Guid Id { get; init; }

    public required string Kind { get; init; }

    /// <summary>The signature of the operation that wrote the arguments.</summary>
    public required ulong Signature { get; init; }

    /// <summary>The arguments in their stored form.</summary>
    public required ReadOnlyMemory<byte> Arguments { get; init; }

    public required DateTimeOffset Submitted { get; init; }

    /// <summary>When it may start first: an occurrence of a schedule may be in the past.</summary>
    public required DateTimeOffset Due { get; init; }

    /// <summary>When it ends unless it has begun; <c>null</c> for never.</summary>
    public DateTimeOffset? Expires { get; init; }

    public JobPriority Priority { get; init; }

    /// <summary>By what jobs of a kind take turns; empty for none.</summary>
    public string Key { get; init; } = "";

    public string? Owner { get; init; }

    public Guid? Parent { get; init; }

    /// <summary>The trace context of the submission.</summary>
    public string? TraceParent { get; init; }

    public string? TraceState { get; init; }

    /// <summary>The culture of the submission; <c>null</c> for the invariant one.</summary>
    public string? Culture { get; init; }

    /// <summary>Unique for kind and owner, as long as <see cref="UniqueUntil"/> says; <c>null</c> for none.</summary>
    public string? IdempotencyKey { get; init; }

    public JobUniqueness UniqueUntil { get; init; }

    /// <summary>Of the arguments as they were submitted, to compare them with those of another submission with the same key that is unique as long as the job is kept.</summary>
    public ulong Fingerprint { get; init; }

    /// <summary>
    /// Whether the job starts with its acceptance, in the same write: a place is free for it, and no other job of its kind waits. The claim is filled in then. Not for one that is due later, and not where its kind is paused or its <see cref="Limits"/> are reached.
    /// </summary>
    public bool Starts { get; set; }

    /// <summary>For one that <see cref="Starts"/>: how many of its kind may run at once, in all processes; <c>null</c> for no limit.</summary>
    public KindLimits? Limits { get; set; }

    /// <summary>Whether it is refused unless another job has its idempotency key.</summary>
    public bool OnlyExisting { get; set; }

    // ---- filled in by the commit ----

    /// <summary>The job that had the idempotency key; <c>null</c> where this one was stored.</summary>
    public Guid? Existing { get; set; }

    /// <summary>Whether the arguments of <see cref="Existing"/> are others.</summary>
    public bool IsKeyReused { get; set; }

    /// <summary>Whether the store has no space left, or no new job is to be stored: it was not stored. What runs can still be completed.</summary>
    public bool IsRefused { get; set; }

    /// <summary>Its claim, where it starts.</summary>
    public ClaimedJob? Claimed { get; set; }

    /// <summary>The job right after its acceptance: it has nothing yet but what was submitted.</summary>
    /// <param name="status">Its state.</param>
    /// <param name="started">When its first attempt was claimed; <c>null</c> where it waits.</param>
    public JobRecord ToRecord(in JobStatus status, DateTimeOffset? started) => new()
    {
        Id = Id,
        Kind = Kind,
        Signature = Signature,
        Status = status,
        Submitted = Submitted,
        Started = started,
        ScheduledFor = Due,
        Expires = Expires,
        Priority = Priority,
        Key = Key,
        Owner = Owner,
        Parent = Parent,
        TraceParent = TraceParent,
        TraceState = TraceState,
        Culture = Culture,
    };
}
