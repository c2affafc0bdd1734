using Weir.Lab.Contenders.Hosting;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>A pool whose workers all read one large file.</summary>
internal sealed class WeirModelProgram : ContenderProgram
{
    // Longer than a call takes until its worker has read: then the next one comes to another worker.
    private static readonly TimeSpan Between = TimeSpan.FromMilliseconds(30);

    private readonly MetricsListener _metrics = new();
    private WorkerPool? _pool;

    public override async Task<IEnumerable<ControlLine>> LinesAsync(ControlLine request) => request.Verb switch
    {
        "model" => await ReadAsync(request),
        _ => await base.LinesAsync(request),
    };

    public override async ValueTask DisposeAsync()
    {
        if (_pool is not null)
            await _pool.DisposeAsync();
        _metrics.Dispose();
        await base.DisposeAsync();
    }

    /// <summary>Starts <c>workers</c> that read the file <c>path</c>, which is <c>shared</c> or loaded by each; then all of it is in the memory of every one.</summary>
    private async Task<IEnumerable<ControlLine>> ReadAsync(ControlLine request)
    {
        var (workers, path, isShared) = (request.Int("workers"), request["path"], request.Is("shared", "1"));
        var began = Clock.Now;
        _pool = WeirStart.Pool(Models.Pool, options =>
        {
            options.MinWorkers = options.MaxWorkers = workers;
            if (isShared)
                options.AddSharedData(Models.Name, path);
        });
        await _pool.WaitUntilReadyAsync();
        WeirStart.WaitUntilReady(_pool, workers);
        var ready = Clock.SecondsSince(began) * 1_000;
        var models = _pool.GetProxy<IModelsClient>();
        var own = isShared ? "" : path;
        var reads = await Task.WhenAll(Spread(workers, hold => models.First(own, hold).AsTask()));
        if (reads.Select(static read => read.ProcessId).Distinct().Count() != workers)
            throw new InvalidDataException("Not every worker has read once.");

        var sums = await Task.WhenAll(Spread(workers, hold => models.Sum(own, hold).AsTask()));
        if (sums.Distinct().Count() != 1)
            throw new InvalidDataException($"The workers do not read the same: {string.Join(", ", sums)}.");

        double[] times = [.. reads.Select(static read => read.Milliseconds).Order()];
        return
        [
            Readings.Reading("all ready", ready, "ms"),
            Readings.Reading("first read, median", times[workers / 2], "ms"),
            Readings.Reading("first read, slowest", times[^1], "ms"),
            Readings.Reading("length", reads[0].Length, "B"),
            Readings.Reading("sum", sums[0], ""),
            Readings.Done(),
        ];
    }

    // One call for each worker, one after the other; each keeps its worker until the last has begun.
    private static IEnumerable<Task<T>> Spread<T>(int workers, Func<int, Task<T>> call)
    {
        for (var i = 0; i < workers; i++)
        {
            yield return call((int)(Between * (workers - i + 1)).TotalMilliseconds);
            Thread.Sleep(Between);
        }
    }
}
