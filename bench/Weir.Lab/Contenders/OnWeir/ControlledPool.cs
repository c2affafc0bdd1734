using System.Collections.Concurrent;
using Microsoft.Extensions.Configuration;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>A pool with one option under test, and how its workers ended.</summary>
internal sealed class ControlledPool : IAsyncDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    private readonly ConcurrentQueue<CrashReport> _crashes = new();
    private readonly WorkerPool _pool;

    public ControlledPool(Action<PoolOptions> configure, IConfiguration? host = null)
    {
        _pool = WeirStart.Pool(Controlled.Pool, options =>
        {
            options.MaxWorkers = 1;
            options.OnCrash = _crashes.Enqueue;
            configure(options);
        }, host);
        Client = _pool.GetProxy<IControlledClient>();
    }

    public IControlledClient Client { get; }

    /// <summary>Workers that were lost so far.</summary>
    public int Crashes => _crashes.Count;

    /// <summary>The process of a worker other than this one; 0 when there is none.</summary>
    public int OtherThan(int pid) => _pool.Snapshot().Workers.FirstOrDefault(worker => worker.ProcessId != pid && worker.ProcessId != 0)?.ProcessId ?? 0;

    /// <summary>How often the failure of this worker was reported.</summary>
    public int ReportsOf(int pid) => _crashes.Count(report => report.ProcessId == pid);

    /// <summary>What its first worker lacks of its limits, by its own word.</summary>
    public IReadOnlyList<string> Missing => _pool.Snapshot().Workers is [{ Limits: { } limits }, ..] ? limits.Missing : [];

    /// <summary>What its first worker does.</summary>
    public string State => _pool.Snapshot().Workers is [var worker, ..] ? worker.State : "";

    public Task ReadyAsync() => _pool.WaitUntilReadyAsync();

    /// <summary>A call that only has to complete; how it completes does not matter.</summary>
    public static async Task EndAsync<T>(ValueTask<T> call)
    {
        try
        {
            await call;
        }
        catch (Exception exception) when (exception is WeirException or OperationCanceledException)
        {
            // As asked.
        }
    }

    /// <summary>Waits until something is so; how many milliseconds after the stamp it was.</summary>
    public static async Task<double> UntilAsync(long since, Func<bool> isSo)
    {
        while (!isSo())
        {
            if (Clock.SecondsSince(since) > Patience.TotalSeconds)
                throw new TimeoutException($"Not so after {Patience.TotalSeconds:0} s.");
            await Task.Delay(2);
        }

        return Clock.SecondsSince(since) * 1_000;
    }

    /// <summary>Makes a call until the pool does not turn it away any more; how many milliseconds after the stamp it was answered.</summary>
    public static async Task<double> UntilAnsweredAsync(long since, Func<ValueTask<int>> call)
    {
        while (true)
        {
            try
            {
                await call();
                return Clock.SecondsSince(since) * 1_000;
            }
            catch (WorkerLostException) when (Clock.SecondsSince(since) < Patience.TotalSeconds)
            {
                await Task.Delay(2);
            }
        }
    }

    public static Task<double> UntilGoneAsync(long since, int pid)
    {
        var worker = new ProcessMeter(pid);
        return UntilAsync(since, () => !worker.IsAlive);
    }

    public ValueTask DisposeAsync() => _pool.DisposeAsync();
}
