using Weir.Jobs.Rules;

namespace Weir.Jobs.Storage;

/// <summary>A row of a store in memory.</summary>
/// <param name="call">As it was submitted; its bytes are copied, because they are the caller's.</param>
/// <param name="number">Its place in the order in which jobs were accepted.</param>
internal sealed class MemoryJob(NewJob call, long number)
{
    private readonly NewJob _call = Copy(call, call.Key, call.Signature, default);

    // Created when there is something to keep: most jobs have neither. Both are bounded by what the rules and the limits of a job allow.
    private List<ReadOnlyMemory<byte>>? _items;
    private List<JobAttempt>? _attempts;

    public Guid Id => _call.Id;

    public string Kind => _call.Kind;

    public string Key { get; private set; } = call.Key;

    public JobPriority Priority => _call.Priority;

    /// <summary>When it ends unless it has begun; never, once it was begun again by hand.</summary>
    public DateTimeOffset? Expires { get; private set; } = call.Expires;

    public (string Kind, string? Owner, string Key)? Unique => _call.IdempotencyKey is { } key ? (_call.Kind, _call.Owner, key) : null;

    public JobUniqueness UniqueUntil => _call.UniqueUntil;

    /// <summary>Whether its idempotency key stands for it, so that no other job can have it.</summary>
    public bool HoldsKey => _call.IdempotencyKey is not null && (UniqueUntil == JobUniqueness.Retention || !Status.HasEnded);

    /// <summary>Whether it ends when its time is over: it waits, and has not begun.</summary>
    public bool MayExpire => Expires is not null && Status is { IsWaiting: true, Starts: 0 };

    public ulong Fingerprint => _call.Fingerprint;

    public long Number { get; } = number;

    /// <summary>Its place among jobs that are ready: another one each time it becomes ready.</summary>
    public long Sequence { get; set; }

    public JobStatus Status { get; set; }

    public ulong Signature { get; private set; } = call.Signature;

    public ReadOnlyMemory<byte> Arguments { get; private set; } = call.Arguments.ToArray();

    public DateTimeOffset? Started { get; set; }

    public DateTimeOffset? Ended { get; set; }

    public int Run { get; set; }

    public JobProgress? Progress { get; set; }

    public ReadOnlyMemory<byte> Failure { get; private set; }

    public ReadOnlyMemory<byte>? Result { get; set; }

    public IReadOnlyList<ReadOnlyMemory<byte>> Items => _items ?? [];

    public IReadOnlyList<JobAttempt> Attempts => _attempts ?? [];

    public void Append(IReadOnlyList<ReadOnlyMemory<byte>> items)
    {
        _items ??= [];
        foreach (var item in items)
        {
            _items.Add(item.ToArray());
        }
    }

    public void Keep(JobAttempt attempt)
    {
        (_attempts ??= []).Add(attempt);
        Failure = attempt.Failure;
    }

    /// <summary>Gives it other arguments; those before are kept with its attempts.</summary>
    public void Edit(JobAction action, DateTimeOffset now)
    {
        (_attempts ??= []).Add(new JobAttempt(Status.Fence, now, now, JobEvent.ArgumentsEdited, JobStop.None, Arguments));
        (Signature, Arguments, Key) = (action.Signature, action.Payload.ToArray(), action.Key ?? Key);
    }

    /// <summary>Drops what the run before has made.</summary>
    public void BeginAgain()
    {
        Run++;
        Expires = null;
        Progress = null;
        Result = null;
        _items = null;
    }

    public NewJob ToCall() => Copy(_call, Key, Signature, Arguments);

    public JobRecord ToRecord() => new()
    {
        Id = Id,
        Kind = Kind,
        Signature = Signature,
        Status = Status,
        Submitted = _call.Submitted,
        Started = Status.Starts == 0 ? null : Started,
        Ended = Ended,
        ScheduledFor = _call.Due,
        Expires = Expires,
        Priority = Priority,
        Key = Key,
        Owner = _call.Owner,
        Parent = _call.Parent,
        TraceParent = _call.TraceParent,
        TraceState = _call.TraceState,
        Culture = _call.Culture,
        Items = Items.Count,
        Run = Run,
        Progress = Progress,
        Failure = Failure,
    };

    private static NewJob Copy(NewJob call, string key, ulong signature, ReadOnlyMemory<byte> arguments) => new()
    {
        Id = call.Id,
        Kind = call.Kind,
        Signature = signature,
        Arguments = arguments,
        Submitted = call.Submitted,
        Due = call.Due,
        Expires = call.Expires,
        Priority = call.Priority,
        Key = key,
        Owner = call.Owner,
        Parent = call.Parent,
        TraceParent = call.TraceParent,
        TraceState = call.TraceState,
        Culture = call.Culture,
        IdempotencyKey = call.IdempotencyKey,
        UniqueUntil = call.UniqueUntil,
        Fingerprint = call.Fingerprint,
    };
}
