using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;
using static Weir.Lab.Experiments.JobContenders;

namespace Weir.Lab.Experiments;

/// <summary>What requests cost that wait for the end of a job, each over a connection of its own.</summary>
internal static class JobWaiters
{
    private const int Jobs = 10;
    private const int MostBytes = 16 * 1024;
    private const int MostThreads = 10;
    private const string Bytes = "bytes of a waiter";
    private const string Threads = "threads beyond";
    private const string Ended = "answered with the end";

    // Of a processor.
    private const double Rest = 0.1;
    private const int MostLooks = 50;

    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(100);

    public static string Name(Scale scale) => FormattableString.Invariant($"{Count(scale):N0} waiters");

    public static Case Case(Scale scale) => new(Name(scale),
    [
        new HostedContender(Sqlite, Launch(Sqlite, "http=yes", "min=0"))
        {
            Drive = (process, cancellation) => MeasureAsync(process, Count(scale), cancellation),
            WarmUp = (process, cancellation) => MeasureAsync(process, Count(scale) / 10, cancellation),
        },
    ])
    {
        Rounds = scale.Pick(1, 1, 3),
    };

    public static IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        var name = Name(scale);
        yield return Promise.Count(FormattableString.Invariant($"a waiter holds at most {MostBytes / 1024} KB beyond its connection"), measured[Sqlite, name, Bytes], Relation.AtMost, MostBytes);
        yield return Promise.Count(FormattableString.Invariant($"waiters hold no threads: at most {MostThreads} beyond those before"), measured[Sqlite, name, Threads], Relation.AtMost, MostThreads);
        yield return Promise.Count("every waiter is answered when its job ends", measured[Sqlite, name, Ended], Relation.Exactly, Count(scale));
    }

    // As many as a process lets wait.
    private static int Count(Scale scale) => scale.Pick(20, 1_000, 1_000);

    private static async Task<Round> MeasureAsync(ContenderProcess process, int count, CancellationToken cancellation)
    {
        using var client = ServedJobs.NewClient();
        var jobs = new ServedJobs(client, process);
        var paths = new List<string>();
        for (var i = 0; i < Jobs; i++)
            paths.Add(await jobs.SubmitAsync("/Works/Wait", FormattableString.Invariant($$"""{"tenant":"waiter {{i}}"}"""), cancellation));
        foreach (var path in paths)
        {
            while (ServedJobs.StateOf((await jobs.GetAsync(path, 0, cancellation)).Job) != "running")
                await Task.Delay(Look, cancellation);
        }

        var clients = Enumerable.Range(0, count).Select(static _ => ServedJobs.NewClient(mostConnections: 1)).ToArray();
        try
        {
            var callers = clients.Select(one => new ServedJobs(one, process)).ToArray();
            await Task.WhenAll(callers.Select((caller, i) => caller.GetAsync(paths[i % Jobs], 0, cancellation)));
            await RestAsync(process, cancellation);
            var (idle, threads) = (await HeapAsync(process, cancellation), process.Meter.Threads);

            var waits = callers.Select((caller, i) => caller.GetAsync(paths[i % Jobs], 60, cancellation)).ToArray();
            await RestAsync(process, cancellation);
            var (waiting, threadsThen) = (await HeapAsync(process, cancellation), process.Meter.Threads);
            var early = waits.Count(static wait => wait.IsCompleted);

            foreach (var path in paths)
                await jobs.CancelAsync(path, cancellation);
            var ends = await Task.WhenAll(waits);
            return new Round()
                .Add(Bytes, (waiting - idle) / count, "B")
                .Add(Threads, threadsThen - threads, "")
                .Add("threads", threadsThen, "")
                .Add(Ended, ends.Count(static end => end.HasWaited && ServedJobs.StateOf(end.Job) == "cancelled") - early, "");
        }
        finally
        {
            foreach (var one in clients)
                one.Dispose();
        }
    }

    private static async Task<double> HeapAsync(ContenderProcess process, CancellationToken cancellation) => (await process.AskAsync(new ControlLine("heap"), cancellation)).Number("bytes");

    // Until it has begun all that it was asked for.
    private static async Task RestAsync(ContenderProcess process, CancellationToken cancellation)
    {
        var rests = 0;
        var last = process.Meter.CpuSeconds;
        for (var looks = 0; rests < 3 && looks < MostLooks; looks++)
        {
            await Task.Delay(Look, cancellation);
            var now = process.Meter.CpuSeconds;
            rests = now - last <= Rest * Look.TotalSeconds ? rests + 1 : 0;
            last = now;
        }
    }
}
