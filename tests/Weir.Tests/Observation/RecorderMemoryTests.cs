using System.Runtime.CompilerServices;
using Weir.Execution.Observation;
using Weir.Tests.Execution;

namespace Weir.Tests.Observation;

/// <summary>What an application uses that has been recorded for an hour. Nothing else runs at the same time.</summary>
[Collection(nameof(Alone))]
public sealed class RecorderMemoryTests
{
    private const int Pools = 64;
    private const int Operations = 100;
    private const int Hour = 3_600;
    private const long Most = 5 << 20;

    [Fact]
    public void With_sixty_four_pools_and_a_hundred_operations_an_hour_needs_less_than_five_megabytes()
    {
        // What is freed with it, at once: over the hour the process frees what other tests have left.
        var recorder = new Recorder?[1];
        Record(recorder);
        var with = GC.GetTotalMemory(forceFullCollection: true);
        Release(recorder);
        Assert.InRange(with - GC.GetTotalMemory(forceFullCollection: true), 1 << 20, Most);
    }

    // No inlining: locals are gone when these two methods have returned.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Release(Recorder?[] recorder)
    {
        recorder[0]!.Dispose();
        recorder[0] = null;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Record(Recorder?[] recorded)
    {
        var time = new ManualTime();
        var operations = Enumerable.Range(0, Operations).Select(static _ => Some.Operation()).ToArray();
        var pools = Enumerable.Range(0, Pools).Select(static index => new BusyPool($"pool{index}")).ToArray();
        var workers = new WorkerObserver(time);
        var recorder = new Recorder(time, new RecordingOptions().HistoryBytes, workers);
        foreach (var pool in pools)
        {
            recorder.Add(pool);
        }

        for (var second = 0; second < Hour; second++)
        {
            foreach (var operation in operations)
            {
                var recording = recorder.Begin(operation, isFromCode: false, CancellationToken.None);
                recording.Call!.Executing(queues: false);
                recording.End(second % 7 == 0 ? new TimeoutException() : null);
            }

            workers.Started("pool1", second, 0, second);
            workers.Ready("pool1", second, 0, second);
            time.Advance(TimeSpan.FromSeconds(1));
        }

        Assert.Equal(Hour, pools.Min(static pool => pool.Readings) - 1);
        recorded[0] = recorder;
    }

    private sealed class BusyPool(string name) : IObservedPool
    {
        public int Readings { get; private set; }

        public string Name => name;

        public PoolReading Read() => new() { Busy = 1, MostBusy = 1, Workers = 1, MaxWorkers = 4, Succeeded = ++Readings };
    }
}
