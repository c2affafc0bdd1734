using System.Text.Json;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Load;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;
using static Weir.Lab.Experiments.JobContenders;

namespace Weir.Lab.Experiments;

/// <summary>A job makes an item every 20 ms, and a reader over HTTP is cut every second and continues: how old is an item when it is there?</summary>
internal static class JobItemAges
{
    public const string Name = "items of 20 ms";

    /// <summary>The right answer to <see cref="AnswerAsync"/>.</summary>
    public const string Expected = "0 1 2 3 4";

    private const int Interval = 20;
    private const double Milliseconds = 5;
    private const int Syncs = 25;
    private const double CutEvery = 1;
    private const string AfterSync = "p50 less 1 sync";

    // Those that wait for no disk, or for no worker, show where the time is spent.
    private static readonly (string Name, string Operation)[] Ways =
    [
        (Isolated, "/ItemWorkerWorks/Stamped"),
        (Sqlite, "/ItemWorks/Stamped"),
        (Memory, "/ItemWorks/Stamped"),
    ];

    public static Case Case(Scale scale)
    {
        return new Case(Name, [.. Ways.Select(way => Contender(way.Name, way.Operation, scale))])
        {
            // They only wait: for the next item.
            Rounds = scale.Pick(1, 1, 3),
            AtOnce = scale != Scale.Full,
        };
    }

    public static IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        yield return Promise.Latency(
            FormattableString.Invariant($"half of the items of an isolated stream are at the reader within 1 sync and {Milliseconds} ms"), measured[Isolated, Name, AfterSync], Milliseconds);
        foreach (var (name, _) in Ways)
        {
            foreach (var promise in CompletePromises(measured, name, Name, scale))
                yield return promise;
        }
    }

    /// <summary>That a contender's reader has met cuts, and every item once.</summary>
    public static IEnumerable<Promise> CompletePromises(Measured measured, string contender, string @case, Scale scale)
    {
        yield return Promise.Count($"{contender}: the reader is cut", measured[contender, @case, "cuts"], Relation.AtLeast, (Count(scale) * Interval / 1000) - 1);
        yield return Promise.Count($"{contender}: every item is received", measured[contender, @case, "items"], Relation.Exactly, Count(scale));
        yield return Promise.Count($"{contender}: no item is missed", measured[contender, @case, "gaps"], Relation.Exactly, 0);
        yield return Promise.Count($"{contender}: no item comes twice", measured[contender, @case, "repeats"], Relation.Exactly, 0);
    }

    /// <summary>Submits a job of an operation, and reads its items.</summary>
    public static Task<Round> MeasureAsync(ContenderProcess process, string operation, Scale scale, CancellationToken cancellation) => MeasureAsync(process, operation, Count(scale), Interval, cancellation);

    /// <summary>The same with items that come fast.</summary>
    public static Task<Round> WarmUpAsync(ContenderProcess process, string operation, CancellationToken cancellation) => MeasureAsync(process, operation, 100, 1, cancellation);

    /// <summary>The indexes of the items of a short job.</summary>
    public static Task<string?> AnswerAsync(ContenderProcess process, string operation, CancellationToken cancellation) => ReadAsync(process, operation, 5, cancellation);

    private static int Count(Scale scale) => scale.Pick(60, 100, 500);

    private static HostedContender Contender(string name, string operation, Scale scale) => new(name, Launch(name, "http=yes", "pool=items"))
    {
        Drive = (process, cancellation) => MeasureAsync(process, operation, scale, cancellation),
        WarmUp = (process, cancellation) => WarmUpAsync(process, operation, cancellation),
        Ask = (process, cancellation) => AnswerAsync(process, operation, cancellation),
        Expected = Expected,
    };

    private static async Task<string?> ReadAsync(ContenderProcess process, string operation, int count, CancellationToken cancellation)
    {
        using var client = ServedJobs.NewClient();
        var jobs = new ServedJobs(client, process);
        var items = new List<string>();
        var reader = new CutReader(client, IndexOf);
        var address = jobs.ItemsOf(await jobs.SubmitAsync(operation, Arguments(count, 1), cancellation));
        await reader.ReadAsync(
            address,
            item =>
            {
                items.Add(FormattableString.Invariant($"{IndexOf(item)}"));
                return false;
            },
            cancellation);
        return string.Join(' ', items);
    }

    private static async Task<Round> MeasureAsync(ContenderProcess process, string operation, int count, int interval, CancellationToken cancellation)
    {
        using var client = ServedJobs.NewClient();
        var jobs = new ServedJobs(client, process);
        var before = await SyncAsync(process, cancellation);
        var address = jobs.ItemsOf(await jobs.SubmitAsync(operation, Arguments(count, interval), cancellation));
        var reader = new CutReader(client, IndexOf);
        var ages = new List<double>(count);
        while (!reader.IsComplete)
        {
            var began = Clock.Now;
            await reader.ReadAsync(
                address,
                item =>
                {
                    ages.Add(Clock.MillisecondsBetween(StampOf(item), Clock.Now));
                    return Clock.SecondsSince(began) >= CutEvery;
                },
                cancellation);
        }

        var sync = (before + await SyncAsync(process, cancellation)) / 2;
        ages.Sort();
        return new Round()
            .Add("item age p50", ages[ages.Count / 2], "ms")
            .Add("item age p99", ages[(int)(ages.Count * 0.99)], "ms")
            .Add("fsync", sync, "ms")
            .Add(AfterSync, ages[ages.Count / 2] - sync, "ms")
            .Add("items", reader.Items, "")
            .Add("gaps", reader.Gaps, "")
            .Add("repeats", reader.Repeats, "")
            .Add("cuts", reader.Cuts, "");
    }

    private static async Task<double> SyncAsync(ContenderProcess process, CancellationToken cancellation) =>
        (await process.AskAsync(new ControlLine("syncs").With("count", Syncs), cancellation)).Number("ms");

    private static string Arguments(int count, int interval) => FormattableString.Invariant($$"""{"count":{{count}},"interval":{{interval}}}""");

    private static long IndexOf(string item) => NumberOf(item, "index");

    private static long StampOf(string item) => NumberOf(item, "at");

    private static long NumberOf(string item, string member)
    {
        using var document = JsonDocument.Parse(item);
        return document.RootElement.GetProperty(member).GetInt64();
    }
}
