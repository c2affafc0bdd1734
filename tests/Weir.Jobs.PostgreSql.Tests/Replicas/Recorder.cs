using System.Collections.Concurrent;
using System.Diagnostics;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Tests.Replicas;

/// <summary>Keeps what is reported, and fails where two reports come at once.</summary>
internal sealed class Recorder : IJobStoreListener
{
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(60);

    private readonly ConcurrentQueue<string> _ready = [];
    private readonly ConcurrentQueue<(Guid Job, bool HasEnded)> _changed = [];
    private readonly ConcurrentQueue<AttemptId> _stops = [];
    private readonly ConcurrentQueue<LostAttempt> _lost = [];
    private readonly ConcurrentQueue<DateTimeOffset> _due = [];
    private readonly ConcurrentQueue<string[]> _paused = [];
    private int _leasesLost;
    private int _inside;

    public IReadOnlyCollection<string> ReadyKinds => _ready;

    public IReadOnlyCollection<(Guid Job, bool HasEnded)> Changes => _changed;

    public IReadOnlyCollection<AttemptId> Stops => _stops;

    public IReadOnlyCollection<LostAttempt> LostAttempts => _lost;

    public IReadOnlyCollection<DateTimeOffset> Dues => _due;

    public IReadOnlyCollection<string[]> Pauses => _paused;

    public int LeasesLost => Volatile.Read(ref _leasesLost);

    public bool HasOverlapped { get; private set; }

    public void Ready(IReadOnlyCollection<string> kinds) => Alone(() => kinds.ToList().ForEach(_ready.Enqueue));

    public void Paused(IReadOnlyCollection<string> kinds) => Alone(() => _paused.Enqueue([.. kinds]));

    public void DueAt(DateTimeOffset due) => Alone(() => _due.Enqueue(due));

    public void Changed(Guid job, bool hasEnded) => Alone(() => _changed.Enqueue((job, hasEnded)));

    public void Stop(IReadOnlyList<AttemptId> attempts) => Alone(() => attempts.ToList().ForEach(_stops.Enqueue));

    /// <summary>What this process runs; otherwise everything that the store says it runs.</summary>
    public Func<AttemptId, bool> Running { get; set; } = static _ => true;

    public bool Runs(AttemptId attempt) => Running(attempt);

    public void Lost(IReadOnlyList<LostAttempt> attempts) => Alone(() => attempts.ToList().ForEach(_lost.Enqueue));

    public void LeaseLost() => Alone(() => Interlocked.Increment(ref _leasesLost));

    public void Forget()
    {
        _ready.Clear();
        _changed.Clear();
        _stops.Clear();
        _lost.Clear();
        _due.Clear();
        _paused.Clear();
    }

    /// <summary>Waits until something holds.</summary>
    public static async Task UntilAsync(Func<bool> holds, string what)
    {
        var start = Stopwatch.GetTimestamp();
        while (!holds())
        {
            Assert.True(Stopwatch.GetElapsedTime(start) < Longest, $"Not within {Longest.TotalSeconds} s: {what}");
            await Task.Delay(10, TestContext.Current.CancellationToken);
        }
    }

    private void Alone(Action report)
    {
        HasOverlapped |= Interlocked.Increment(ref _inside) != 1;
        report();
        Interlocked.Decrement(ref _inside);
    }
}
