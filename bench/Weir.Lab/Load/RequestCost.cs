using Weir.Lab.Engine;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;
using Weir.Load.Measuring;
using Weir.Load.Requests;

namespace Weir.Lab.Load;

/// <summary>What a request costs a contender in a process of its own, under a closed load.</summary>
internal static class RequestCost
{
    public const string Rate = "requests/s";
    public const string Bytes = "bytes/request";
    public const string Cpu = "cpu/request";

    /// <summary>Requests per second, and managed bytes, processor time and waits of a request.</summary>
    public static Task<Round> MeasureAsync(
        ContenderProcess process, int connections, int depth, TimeSpan duration, IReadOnlyList<string> paths, CancellationToken cancellation) => MeasureAsync(
            process,
            async opened =>
            {
                var result = await LoadAsync(process, connections, depth, duration, paths, opened, cancellation);
                return (result.Completed, result.Seconds);
            },
            cancellation);

    /// <summary>The same under a load of any kind, which calls what it is given when its connections are open.</summary>
    public static async Task<Round> MeasureAsync(ContenderProcess process, Func<Func<Task>, Task<(long Completed, double Seconds)>> load, CancellationToken cancellation)
    {
        var (before, waitsBefore) = (default(Counters), 0L);
        var (completed, seconds) = await load(BeginAsync);
        var used = await process.CountersAsync(cancellation) - before;
        var waits = process.Meter.Waits - waitsBefore;
        return new Round()
            .AddRate(Rate, completed, seconds)
            .Add(Bytes, (double)used.AllocatedBytes / completed, "B")
            .Add(Cpu, used.CpuSeconds * 1e6 / completed, "µs")
            .Add("waits/request", (double)Math.Max(0, waits) / completed, "");

        async Task BeginAsync() => (before, waitsBefore) = (await process.CountersAsync(cancellation), process.Meter.Waits);
    }

    /// <summary>
    /// The load alone. <paramref name="opened"/> is called when all connections are open: they cost a server as much as thousands of
    /// requests, and how many requests share that depends on the machine.
    /// </summary>
    public static async Task<LoadResult> LoadAsync(
        ContenderProcess process, int connections, int depth, TimeSpan duration, IReadOnlyList<string> paths, Func<Task> opened, CancellationToken cancellation) =>
        (await Served.OpenThenClosedAsync(process, connections, depth, duration, RequestSet.Get(paths), opened, cancellation)).WithoutErrors();
}
