using System.Globalization;
using Weir.Jobs.Diagnostics;
using Weir.Jobs.Payloads;
using Weir.Jobs.Rules;
using Weir.Jobs.Storage;
using Weir.Runtime;

namespace Weir.Jobs.Running;

/// <summary>One kind of job: an operation of this process, with how its jobs run. The counts belong to <see cref="JobPlaces"/>; but for <see cref="Rejections"/>, everything else is immutable.</summary>
internal sealed class JobKind : IObservedKind
{
    private const int HostConcurrency = 16;

    // The longest time that a timer accepts.
    private static readonly TimeSpan LongestTimeout = TimeSpan.FromDays(49);

    private readonly int? _from;
    private long _heldAt = long.MinValue;

    /// <summary>A kind.</summary>
    /// <param name="operation">Has a <see cref="Operation.Job"/>.</param>
    /// <param name="options">What the application set for it; <c>null</c> for nothing.</param>
    /// <param name="isShared">Whether other calls may run in the process that runs its jobs: then they may be the cause of a crash.</param>
    /// <exception cref="InvalidOperationException">An option is out of its range (WEIR3002).</exception>
    public JobKind(Operation operation, JobKindOptions? options, bool isShared)
    {
        var job = operation.Job!;
        Operation = operation;
        Name = job.Kind ?? operation.FullName;
        Attempts = options?.Attempts ?? job.Attempts ?? (operation.IsIdempotent ? 5 : 1);
        Timeout = options is { IsTimeoutSet: true } ? options.Timeout : job.Timeout;
        var backoff = options?.Backoff ?? job.Backoff;
        var maxBackoff = options?.MaxBackoff ?? job.MaxBackoff;
        Concurrency = options?.Concurrency ?? job.Concurrency ?? (operation.Placement == Placement.Isolated ? int.MaxValue : HostConcurrency);
        Require(Attempts is >= 1 and <= 1_000, nameof(Attempts), Attempts, "1 to 1,000");
        Require(Timeout is null || (Timeout > TimeSpan.Zero && Timeout <= LongestTimeout), nameof(Timeout), Timeout, "a time longer than zero and at most 49 days, or null for no limit");
        Require(backoff >= TimeSpan.Zero, nameof(JobKindOptions.Backoff), backoff, "zero or more");
        Require(maxBackoff >= backoff, nameof(JobKindOptions.MaxBackoff), maxBackoff, $"Backoff ({backoff}) or more");
        var maxPerKey = options is { IsMaxPerKeySet: true } ? options.MaxPerKey : job.MaxPerKey;
        var maxTotal = options is { IsMaxTotalSet: true } ? options.MaxTotal : job.MaxTotal;
        MaxWaiting = options is null ? JobKindOptions.DefaultMaxWaiting : options.MaxWaiting;
        Require(Concurrency >= 1, nameof(Concurrency), Concurrency, "1 or more");
        Require(maxTotal is null or >= 1, nameof(JobKindOptions.MaxTotal), maxTotal, "1 or more, or null for no limit");
        Require(
            maxPerKey is null || (maxPerKey >= 1 && !(maxPerKey > maxTotal)), nameof(JobKindOptions.MaxPerKey), maxPerKey, $"1 to MaxTotal ({maxTotal?.ToString(CultureInfo.InvariantCulture) ?? "no limit"}), or null for no limit");
        Limits = maxPerKey is null && maxTotal is null ? null : new KindLimits(maxPerKey, maxTotal);
        Require(MaxWaiting is null or >= 0, nameof(MaxWaiting), MaxWaiting, "0 or more, or null for no limit");

        Traits = new JobTraits
        {
            IsIdempotent = operation.IsIdempotent,
            Attempts = Attempts,
            Backoff = backoff,
            MaxBackoff = maxBackoff,
            MostCrashes = isShared ? 5 : 2,
            MostLosses = isShared ? 5 : 3,
        };
        OnceBegun = Traits with { IsIdempotent = false, Attempts = 1 };
        _from = operation is { ResultKind: ResultKind.Stream, Resumption: Resumption.Source } ? IndexOf("from") : null;
    }

    public Operation Operation { get; }

    /// <summary>What the store calls it.</summary>
    public string Name { get; }

    public int Attempts { get; }

    /// <summary>Of one attempt; <c>null</c> means no limit.</summary>
    public TimeSpan? Timeout { get; }

    /// <summary>How many run at once in this process.</summary>
    public int Concurrency { get; }

    /// <summary>How many run at once, in all processes; <c>null</c> means no limit.</summary>
    public KindLimits? Limits { get; }

    /// <summary>How many may wait; <c>null</c> means no limit.</summary>
    public int? MaxWaiting { get; }

    /// <summary>How many wait, about.</summary>
    public WaitingCount Waiting { get; } = new();

    /// <summary>What the rules need of it.</summary>
    public JobTraits Traits { get; }

    /// <summary>Whether this process runs its jobs: <see cref="WeirJobsOptions.Only"/>.</summary>
    public bool IsRun { get; init; } = true;

    /// <summary>Whether its operation runs in a worker, and not in this process as under a debugger.</summary>
    public required bool RunsInWorker { get; init; }

    /// <summary>Where it takes part in sharing places.</summary>
    public required SlotGroup Group { get; init; }

    // ---- of JobPlaces ----

    /// <summary>How many run here, claims on the way included.</summary>
    public int Running { get; set; }

    /// <summary>Whether jobs of it may be ready in the store.</summary>
    public bool HasReady { get; set; }

    /// <summary>Where the turns of its priorities and keys are.</summary>
    public JobTurn Turn { get; set; }

    /// <summary>Whether jobs of it are ready in the store and have to wait, because of its limits: none is started before them.</summary>
    public bool HasBlocked { get; set; }

    /// <summary>Whether none of its jobs is claimed.</summary>
    public bool IsPaused { get; set; }

    /// <summary>How many of its attempts were rejected one after the other, because there was no place for them. Any thread sets it: it only lengthens pauses.</summary>
    public int Rejections { get; set; }

    /// <summary>Arguments of one of its jobs were not understood. Any thread.</summary>
    public void Hold(TimeProvider time) => Interlocked.Exchange(ref _heldAt, time.GetTimestamp());

    /// <summary>Whether jobs of it wait until a version understands their arguments.</summary>
    public bool IsHeld(TimeProvider time) => Interlocked.Read(ref _heldAt) is not long.MinValue and var at && time.GetElapsedTime(at) < 2 * JobRules.NotUnderstoodPause;

    // A stream whose items are stored is not begun again, unless it can continue.
    private JobTraits OnceBegun { get; }

    /// <summary>What the rules need of an attempt that has stored so many items.</summary>
    public JobTraits TraitsWith(long items) => items > 0 && _from is null ? OnceBegun : Traits;

    /// <summary>Lets a stream continue behind the items that are stored.</summary>
    /// <param name="call">Its arguments are set.</param>
    /// <param name="items">How many are stored.</param>
    public void Continue(Call call, long items)
    {
        if (_from is { } index && items > 0)
        {
            call.SetArgument(index, (long)call.GetArgument(index)! + items);
        }
    }

    /// <summary>The key of a call that is the kind's; <c>null</c> where the kind names no parameter for it.</summary>
    /// <exception cref="ArgumentException">It is too long.</exception>
    public string? OwnKey(Call call)
    {
        var key = JobKey.Of(call);
        return key is not { Length: > JobKey.MostLength } ? key : throw new ArgumentException($"The key of a job of {Name} has {key.Length} characters; it may have {JobKey.MostLength}.", nameof(call));
    }

    long IObservedKind.RunningNow => Running;

    long IObservedKind.WaitingNow => Waiting.Now;

    DateTimeOffset? IObservedKind.OldestDue => Waiting.OldestDue;

    public override string ToString() => Name;

    private int? IndexOf(string parameter)
    {
        for (var index = 0; index < Operation.Parameters.Count; index++)
        {
            if (Operation.Parameters[index].Name == parameter)
            {
                return index;
            }
        }

        return null;
    }

    private void Require(bool isValid, string option, object? value, string range)
    {
        if (!isValid)
        {
            throw new InvalidOperationException($"{option} of the jobs of {Name} is {value ?? "null"}; set it to {range}, in Weir:Jobs:Kinds:{Name} or in [Job]. See {WeirCodes.InvalidOptions}.");
        }
    }
}
