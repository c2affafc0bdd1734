using Weir.Jobs.Rules;

namespace Weir.Jobs.Storage;

/// <summary>What a store knows of a job, without its arguments, result and items.</summary>
internal sealed record JobRecord
{
    public required Guid Id { get; init; }

    public required string Kind { get; init; }

    public required ulong Signature { get; init; }

    public required JobStatus Status { get; init; }

    public required DateTimeOffset Submitted { get; init; }

    /// <summary>When it was last claimed; <c>null</c> while no start of it has begun.</summary>
    public DateTimeOffset? Started { get; init; }

    /// <summary>When it ended; <c>null</c> before.</summary>
    public DateTimeOffset? Ended { get; init; }

    /// <summary>When it was due first: what its operation sees.</summary>
    public required DateTimeOffset ScheduledFor { get; init; }

    /// <summary>When it ends unless it has begun; <c>null</c> for never.</summary>
    public DateTimeOffset? Expires { get; init; }

    public JobPriority Priority { get; init; }

    /// <summary>Empty for none.</summary>
    public string Key { get; init; } = "";

    public string? Owner { get; init; }

    public Guid? Parent { get; init; }

    public string? TraceParent { get; init; }

    public string? TraceState { get; init; }

    public string? Culture { get; init; }

    /// <summary>How many items it has.</summary>
    public long Items { get; init; }

    /// <summary>How often it was begun again by hand: its items are those of this run.</summary>
    public int Run { get; init; }

    public JobProgress? Progress { get; init; }

    /// <summary>Why its last attempt ended without success, as <see cref="JobAction.Payload"/> had it; empty where none did.</summary>
    public ReadOnlyMemory<byte> Failure { get; init; }
}
