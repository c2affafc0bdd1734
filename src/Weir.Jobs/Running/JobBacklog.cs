using Weir.Jobs.Storage;

namespace Weir.Jobs.Running;

/// <summary>
/// Knows about how many jobs of each kind wait, for <see cref="JobKindOptions.MaxWaiting"/> and for meters. The store counts when that is asked for and the last count is older than 10 s: not in a process that submits
/// nothing and is not observed. Any thread.
/// </summary>
/// <param name="store">Counts.</param>
/// <param name="kinds">Have the counts.</param>
/// <param name="time">The clock.</param>
internal sealed class JobBacklog(IJobStore store, JobKinds kinds, TimeProvider time)
{
    private static readonly TimeSpan MostAge = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan Retry = TimeSpan.FromSeconds(10);

    private readonly Lock _gate = new();

    // Under _gate.
    private Task _counting = Task.CompletedTask;
    private long? _countedAt;

    // The same: of the last count that succeeded.
    private long? _knownAt;

    /// <summary>How old the last count is; <c>null</c> where the store has not counted yet.</summary>
    public TimeSpan? Age
    {
        get
        {
            lock (_gate)
            {
                return _knownAt is { } at ? time.GetElapsedTime(at) : null;
            }
        }
    }

    /// <summary>A job of a kind is refused, because as many wait as may.</summary>
    public static CallRejectedException Full(JobKind kind) => new(
        WeirCodes.TooManyWaitingJobs,
        $"{kind.Waiting.Now} jobs of {kind.Name} wait, and {kind.MaxWaiting} may (Weir:Jobs:Kinds:{kind.Name}:MaxWaiting). Nothing was stored: submit it later, run more of them at once, or raise MaxWaiting. See {WeirCodes.TooManyWaitingJobs}.",
        Retry);

    /// <summary>Whether as many jobs of a kind wait as may.</summary>
    public bool IsFull(JobKind kind)
    {
        if (kind.MaxWaiting is null)
        {
            return false;
        }

        Refresh();
        return kind.Waiting.Now >= kind.MaxWaiting;
    }

    /// <summary>Has the store count, if the last count is too old.</summary>
    /// <returns>Completes when it has counted.</returns>
    public Task Refresh()
    {
        lock (_gate)
        {
            if (_counting.IsCompleted && !(_countedAt is { } at && time.GetElapsedTime(at) < MostAge))
            {
                _countedAt = time.GetTimestamp();
                _counting = Task.Run(CountAsync);
            }

            return _counting;
        }
    }

    private async Task CountAsync()
    {
        foreach (var kind in kinds.All)
        {
            kind.Waiting.BeginCount();
        }

        try
        {
            var most = Math.Max(JobKindOptions.DefaultMaxWaiting, kinds.All.Max(static kind => (long?)kind.MaxWaiting) ?? 0);
            var counted = (await store.CountWaitingAsync(most + 1, CancellationToken.None)).ToDictionary(static waiting => waiting.Kind, StringComparer.Ordinal);
            foreach (var kind in kinds.All)
            {
                var found = counted.GetValueOrDefault(kind.Name);
                kind.Waiting.EndCount(found.Count, found.OldestDue);
            }

            lock (_gate)
            {
                _knownAt = time.GetTimestamp();
            }
        }
        catch (Exception)
        {
            // A store that does not answer says so where jobs are submitted and asked for. The counts of before are still about right.
        }
    }
}
