using System.Diagnostics.Metrics;
using Weir.Generated;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.Execution;

/// <summary>What a call costs the host in managed bytes once everything is warm; all threads are counted.</summary>
[Collection(nameof(Alone))]
public sealed class AllocationTests : IAsyncDisposable
{
    private const int Calls = 5000;
    private const int Rounds = 5;

    // What the runtime's own threads may allocate during the measurement.
    private const double Noise = 1;

    private readonly Application _application = new(static options =>
    {
        options.Pool("sizes").MinWorkers = 1;
        options.Pool("sizes").MaxWorkers = 1;
    });

    public ValueTask DisposeAsync() => _application.DisposeAsync();

    [Fact]
    public async Task A_call_in_a_worker_costs_nothing()
    {
        var client = _application.Get<ISizes>();
        var data = new byte[64];
        Assert.InRange(await MeasureAsync(() => client.Length(data)), 0, Noise);
    }

    [Fact]
    public async Task A_call_in_a_worker_whose_times_a_listener_measures_costs_nothing()
    {
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Meter.Name == "Weir")
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<double>(static (_, _, _, _) => { });
        listener.Start();
        var client = _application.Get<ISizes>();
        var data = new byte[64];
        Assert.InRange(await MeasureAsync(() => client.Length(data)), 0, Noise);
    }

    [Fact]
    public async Task A_call_in_a_worker_whose_caller_may_leave_costs_nothing()
    {
        var client = _application.Get<ISizes>();
        var data = new byte[64];
        using var leaving = new CancellationTokenSource();
        Assert.InRange(await MeasureAsync(() => client.Length(data, leaving.Token)), 0, Noise);
    }

    [Fact]
    public async Task A_call_costs_its_worker_nothing()
    {
        var client = _application.Get<ISizes>();
        var data = new byte[64];
        Assert.InRange(await MeasureWorkerAsync(() => client.Length(data)), 0, Noise);

        // An asynchronous one goes over the thread pool there, where it waits for anything.
        Assert.InRange(await MeasureWorkerAsync(() => client.LengthLater(data)), 0, Noise);

        Task<double> MeasureWorkerAsync(Func<ValueTask<int>> call) => MeasureAsync(Calls, () => RunAsync(call, Calls), () => client.AllocatedBytes());
    }

    [Fact]
    public async Task A_call_on_the_lane_costs_nothing()
    {
        var client = _application.Get<ILaneSizesClient>();
        var data = new byte[64];
        Assert.InRange(await MeasureAsync(() => client.Length(data)), 0, Noise);
    }

    [Fact]
    public async Task Text_from_a_worker_costs_the_text()
    {
        var client = _application.Get<ISizes>();
        Assert.InRange(await MeasureAsync(() => client.Text(7)), 40, 40 + Noise);
    }

    [Fact]
    public async Task Calls_that_wait_for_a_place_cost_nothing()
    {
        const int Flows = 32;
        var client = _application.Get<ISizes>();
        var data = new byte[64];
        Assert.InRange(await MeasureAsync(Flows * (Calls / Flows), () => Task.WhenAll(Enumerable.Range(0, Flows).Select(_ => Task.Run(() => RunAsync(() => client.Length(data), Calls / Flows))))), 0, 10 * Noise);
    }

    [Fact]
    public async Task A_pool_without_calls_holds_little()
    {
        const int Pools = 100;
        var catalogs = new WeirCatalogs(ApplicationCatalog.AssemblyName, ApplicationCatalog.Catalogs);
        var pools = new List<WorkerPool> { Open() };
        var (allocated, held) = (new List<long>(), new List<long>());

        // The median round: other code may begin to hold something during a round, or release it. The pools stay until the end, or theirs would count.
        for (var round = 0; round < Rounds; round++)
        {
            var (allocatedBefore, heldBefore) = (GC.GetTotalAllocatedBytes(precise: true), GC.GetTotalMemory(forceFullCollection: true));
            pools.AddRange(Enumerable.Range(0, Pools).Select(_ => Open()));
            allocated.Add((GC.GetTotalAllocatedBytes(precise: true) - allocatedBefore) / Pools);
            held.Add((GC.GetTotalMemory(forceFullCollection: true) - heldBefore) / Pools);
        }

        Assert.InRange(allocated.Order().ElementAt(Rounds / 2), 1, 100 << 10);
        Assert.InRange(held.Order().ElementAt(Rounds / 2), 1, 16 << 10);
        await Task.WhenAll(pools.Select(static pool => pool.DisposeAsync().AsTask()));

        WorkerPool Open() => WorkerPool.Start("sizes", catalogs, new PoolOptions { MinWorkers = 0 });
    }

    private static Task<double> MeasureAsync<T>(Func<ValueTask<T>> call) => MeasureAsync(Calls, () => RunAsync(call, Calls));

    // The leanest round: what the runtime does beside is not the calls' doing, what they cost is in every round.
    private static async Task<double> MeasureAsync(int calls, Func<Task> round, Func<ValueTask<long>>? allocated = null)
    {
        allocated ??= static () => new(GC.GetTotalAllocatedBytes(precise: true));
        await round();
        var least = double.MaxValue;
        for (var i = 0; i < Rounds; i++)
        {
            var before = await allocated();
            await round();
            least = Math.Min(least, (await allocated() - before) / (double)calls);
        }

        return least;
    }

    private static async Task RunAsync<T>(Func<ValueTask<T>> call, int count)
    {
        for (var i = 0; i < count; i++)
        {
            await call();
        }
    }
}
