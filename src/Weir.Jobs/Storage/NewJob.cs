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

    public required DateTimeOffset Due { get; init; }

    /// <summary>Higher ones go first; 0 is normal.</summary>
    public int Priority { get; init; }

    /// <summary>By what jobs of a kind take turns; empty for none.</summary>
    public string Key { get; init; } = "";

    public string? Owner { get; init; }

    public Guid? Parent { get; init; }

    /// <summary>The trace context of the submission.</summary>
    public string? TraceParent { get; init; }

    public string? TraceState { get; init; }

    /// <summary>The culture of the submission; <c>null</c> for the invariant one.</summary>
    public string? Culture { get; init; }

    /// <summary>Unique for kind and owner while the job is kept; <c>null</c> for none.</summary>
    public string? IdempotencyKey { get; init; }

    /// <summary>Of the arguments, to compare them with those of another submission with the same key.</summary>
    public ulong Fingerprint { get; init; }

    /// <summary>
    /// Whether the job starts with its acceptance, in the same write: a place is free for it, and no other job of its kind waits. The claim is filled in then. Not for one that is due later.
    /// </summary>
    public bool Starts { get; init; }

    // ---- filled in by the commit ----

    /// <summary>The job that had the idempotency key; <c>null</c> where this one was stored.</summary>
    public Guid? Existing { get; set; }

    /// <summary>Whether the arguments of <see cref="Existing"/> are others.</summary>
    public bool IsKeyReused { get; set; }

    /// <summary>Whether the store has no space left: it was not stored. What runs can still be completed.</summary>
    public bool IsRefused { get; set; }

    /// <summary>Its claim, where it starts.</summary>
    public ClaimedJob? Claimed { get; set; }
}
