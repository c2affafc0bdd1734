using System.Collections.Concurrent;
using Weir.Jobs.Storage;
using Weir.Jobs.Watching;

namespace Weir.Jobs.Running;

/// <summary>Hands what a store reports of other processes to those whom it concerns. Any thread.</summary>
/// <param name="scheduler">Asks for jobs.</param>
/// <param name="runner">Has the attempts of this process.</param>
/// <param name="watch">Those who wait for jobs.</param>
/// <param name="lose">Writes that an attempt is presumed lost.</param>
internal sealed class StoreNews(JobScheduler scheduler, JobRunner runner, JobWatch watch, Func<LostAttempt, Task> lose) : IJobStoreListener
{
    // Those that are being written: as many as a store reports at once.
    private readonly ConcurrentDictionary<AttemptId, byte> _losing = new();

    public void Ready(IReadOnlyCollection<string> kinds) => scheduler.Ready(kinds);

    public void Paused(IReadOnlyCollection<string> kinds) => scheduler.Paused(kinds);

    public void DueAt(DateTimeOffset due) => scheduler.DueAt(due);

    public void Changed(Guid job, bool hasEnded)
    {
        if (hasEnded)
        {
            watch.Ended(job);
        }
        else
        {
            watch.Changed(job);
        }
    }

    public void Stop(IReadOnlyList<AttemptId> attempts)
    {
        foreach (var attempt in attempts)
        {
            if (runner.Find(attempt.Id) is { } run && run.Fence == attempt.Fence)
            {
                run.Cancel();
            }
        }
    }

    public bool Runs(AttemptId attempt) => runner.Find(attempt.Id)?.Fence == attempt.Fence;

    public void Lost(IReadOnlyList<LostAttempt> attempts)
    {
        foreach (var attempt in attempts)
        {
            if (_losing.TryAdd(new AttemptId(attempt.Id, attempt.Fence), 0))
            {
                _ = LoseAsync(attempt);
            }
        }
    }

    public void LeaseLost()
    {
        var stopped = runner.Runs.Where(static run => run.Kind.Traits.IsIdempotent).ToArray();
        runner.Log.LeaseLost(stopped.Length, runner.Runs.Count() - stopped.Length);
        foreach (var run in stopped)
        {
            run.Drain();
        }
    }

    private async Task LoseAsync(LostAttempt attempt)
    {
        try
        {
            await lose(attempt);
        }
        catch (JobStoreException)
        {
            // It is reported again.
        }
        finally
        {
            _losing.TryRemove(new AttemptId(attempt.Id, attempt.Fence), out _);
        }
    }
}
