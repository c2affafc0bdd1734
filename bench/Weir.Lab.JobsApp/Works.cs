using Weir.Lab.Measuring;

namespace Weir.Lab.Jobs;

/// <summary>What the jobs of the lab do in the host: nothing.</summary>
[Service]
public sealed class Works
{
    private static readonly TaskCompletionSource<long> FirstStarted = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private static int _counted;

    /// <summary>Completes with the clock at the first instruction of the first <see cref="Wait"/> of this process.</summary>
    internal static Task<long> First => FirstStarted.Task;

    /// <summary>How often <see cref="Counted"/> has run in this process.</summary>
    internal static int TimesCounted => Volatile.Read(ref _counted);

    [Job]
    public int Nothing(int number) => number;

    /// <summary><see cref="Nothing"/>, and its runs are counted.</summary>
    [Job]
    public int Counted(int number)
    {
        Interlocked.Increment(ref _counted);
        return number;
    }

    [Job]
    public long Stamp() => Clock.Now;

    /// <summary><see cref="Nothing"/> with a key, and with what <c>JobsApplication.Limit</c> sets.</summary>
    [Job(Key = nameof(tenant))]
    public int Limited(string tenant, int number) => number;

    /// <summary><see cref="Stamp"/> in the same way.</summary>
    [Job(Key = nameof(tenant))]
    public long LimitedStamp(string tenant) => Clock.Now;

    /// <summary>A job with a key that takes some time: with what <c>JobsApplication.Limit</c> sets, one of a key runs at once.</summary>
    [Job(Key = nameof(tenant))]
    public Task LimitedPause(string tenant, int milliseconds, CancellationToken ct) => Task.Delay(milliseconds, ct);

    [Job(Key = nameof(tenant))]
    public Task Wait(string tenant, CancellationToken ct)
    {
        FirstStarted.TrySetResult(Clock.Now);
        return Task.Delay(Timeout.Infinite, ct);
    }

    public int Direct(int number) => number;
}
