using System.Globalization;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Engine;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;
using Weir.Load.Raw;
using Weir.Load.Requests;

namespace Weir.Lab.Experiments;

/// <summary>Document 001: blocking and asynchronous waiting behind a web server.</summary>
internal sealed class BlockingWeb : Experiment
{
    private const int Connections = 1000;
    private const string Plain = "plain";

    public override string Name => "blocking-web";

    public override string Question => "A thousand requests at once that sleep: how many are answered per second?";

    public override string? Document => "001";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(10, 23, 200));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var shared = new SharedProcesses();
        foreach (var (requests, milliseconds) in scale.Pick<(int, int)[]>([(50, 10)], [(1000, 10)], [(1000, 10), (1000, 100), (10_000, 10), (10_000, 100)]))
        {
            // Plain blocking takes minutes at ten thousand; the document's own attempt ended in an error.
            if (requests <= 1000)
                yield return AtOnce(null, scale, requests, milliseconds, name => name == Plain) with { Rounds = 1, WarmUp = false, Given = [] };
            yield return AtOnce(shared, scale, requests, milliseconds, name => name != Plain);
        }

        foreach (var milliseconds in scale.Pick<int[]>([10], [10, 100], [10, 100]))
        {
            if (milliseconds == 10 || scale == Scale.Full)
                yield return Starved(scale, milliseconds);
            foreach (var @case in Sustained(shared, scale, milliseconds).Deciding(scale, milliseconds == 10 ? ["weir", "raised minimum"] : ["weir"]))
                yield return scale == Scale.Quick ? @case with { WarmFor = TimeSpan.Zero } : @case;
        }
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        var (brief, lengthy) = (SustainedName(scale, 10), SustainedName(scale, 100));
        yield return Promise.Ratio(
            "sleeps of 10 ms: at least 0.9 × a raised minimum", measured["weir", brief, "requests/s"], measured["raised minimum", brief, "requests/s"], Relation.AtLeast, 0.9);
        yield return Promise.Ratio(
            "sleeps of 10 ms: at least 50 × plain", measured["weir", brief, "requests/s"], measured["plain", AtFirst(brief), "requests/s"], Relation.AtLeast, 50);
        if (scale != Scale.Tiny)
        {
            yield return Promise.Ratio(
                "sleeps of 100 ms: at least 0.9 × what a thread per connection allows", measured["weir", lengthy, "requests/s"], measured["floor", lengthy, "requests/s"], Relation.AtLeast, 0.9);
        }
    }

    private static string SustainedName(Scale scale, int milliseconds) =>
        string.Create(CultureInfo.InvariantCulture, $"{scale.Pick(50, Connections, Connections):#,0} connections × {milliseconds} ms");

    private static string AtFirst(string name) => $"{name}, new process";

    // The document's own tool: one client, every request started at once. Plain is asked as it is found: a second run would
    // have the threads of the first.
    private static Case AtOnce(SharedProcesses? shared, Scale scale, int requests, int milliseconds, Func<string, bool> wanted)
    {
        var name = string.Create(CultureInfo.InvariantCulture, $"{requests:#,0} at once × {milliseconds} ms");
        return new Case(name,
        [
            .. Blocking.Ways.Where(way => wanted(way.Name)).Select(way => new HostedContender(way.Name, ProgramLaunch.OfLab(way.Program, way.Settings))
            {
                Shared = shared,
                Drive = (process, cancellation) => AllAtOnceAsync(process, requests, milliseconds, way.Path, cancellation),
                Ask = (process, cancellation) => AskAsync(process, way.Path, cancellation),
                Expected = Sleeping.Answer(1),
            }),
        ])
        {
            Rounds = scale.Pick(1, 1, 3),
            Patience = TimeSpan.FromMinutes(5),
            Shared = shared,
            Given = [.. DocumentRows(name, requests, milliseconds)],
        };
    }

    // By the servers that were asked at once: they are warm, and have their threads.
    private static Case Sustained(SharedProcesses shared, Scale scale, int milliseconds) => new(
        SustainedName(scale, milliseconds),
        [
            .. Blocking.For(scale).Where(way => way.Name != Plain && IsAsked(scale, way.Name, milliseconds)).Select(way => new HostedContender(way.Name, ProgramLaunch.OfLab(way.Program, way.Settings))
            {
                Shared = shared,
                Drive = (process, cancellation) => SustainAsync(process, scale, way.Path, milliseconds, Window(scale, milliseconds), cancellation),
                WarmUp = (process, cancellation) => SustainAsync(process, scale, way.Path, milliseconds, TimeSpan.Zero, cancellation),
                Ask = (process, cancellation) => AskAsync(process, way.Path, cancellation),
                Expected = Sleeping.Answer(1),
            }),
        ])
    {
        Rounds = scale.Pick(1, 1, 3),
        Shared = shared,
        Given = [Floor(scale, milliseconds)],
    };

    // Beside long sleeps a quick run asks Weir alone: what is promised there is a part of the floor.
    private static bool IsAsked(Scale scale, string way, int milliseconds) => scale != Scale.Quick || milliseconds == 10 || way == "weir";

    // Plain has a process of its own for every round, and long enough to answer some requests: its pool grows by a thread or two a
    // second. All that time it sleeps.
    private static Case Starved(Scale scale, int milliseconds)
    {
        // A case by itself: none of its rounds stands beside one of the others'.
        var way = Blocking.Ways.Single(way => way.Name == Plain);
        var rounds = scale.Pick(1, QuickCases.PromisedRounds, 3);
        return new Case(
            AtFirst(SustainedName(scale, milliseconds)),
            [
                new WaitingContender(Plain, rounds, async cancellation =>
                {
                    await using var process = await ContenderProcess.StartAsync(ProgramLaunch.OfLab(way.Program, way.Settings), cancellation);
                    return await SustainAsync(process, scale, way.Path, milliseconds, TimeSpan.FromSeconds(scale.Pick(1, 2, 5)), cancellation);
                }),
            ])
        {
            Rounds = rounds,
            WarmUp = false,
        };
    }

    // So many waves of sleepers that one more or less does not show.
    private static TimeSpan Window(Scale scale, int milliseconds) => TimeSpan.FromSeconds(scale.Pick(0.5, milliseconds == 10 ? 0.7 : 1.2, 5));

    // A crowd that starts at once moves in waves at first.
    private static TimeSpan Skip(Scale scale, int milliseconds) => TimeSpan.FromSeconds(milliseconds == 10 && scale == Scale.Quick ? 0.25 : 0.5);

    private static Row Floor(Scale scale, int milliseconds) => Row.Fixed(
        "floor", SustainedName(scale, milliseconds), "requests/s", scale.Pick(50, Connections, Connections) * 1000.0 / milliseconds, "1/s");

    private static async Task<Round> SustainAsync(
        ContenderProcess process, Scale scale, string path, int milliseconds, TimeSpan window, CancellationToken cancellation)
    {
        using var reactor = new Reactor(Served.EndPoint(process), scale.Pick(50, Connections, Connections));
        var model = new ClosedModel(RequestSet.Get($"{path}?ms={milliseconds}"), depth: 1, window) { Skip = Skip(scale, milliseconds) };
        await reactor.RunAsync(model, cancellation);
        var result = model.Result;
        if (result.Errors > 0)
            throw new InvalidDataException($"{result.Errors} of {result.Errors + result.Completed} requests failed.");

        // A server that did not answer in that time was not measured.
        var round = new Round();
        if (result.Completed > 0)
        {
            round.AddRate("requests/s", result.Completed, result.Seconds)
                .Add("p50", result.Response.Milliseconds(50), "ms")
                .Add("p99", result.Response.Milliseconds(99), "ms");
        }

        return round.Add("threads", process.Meter.Threads, "").Add("RSS", process.Meter.Resident / 1e6, "MB");
    }

    private static async Task<string?> AskAsync(ContenderProcess process, string path, CancellationToken cancellation) =>
        await Served.FetchAsync(process, $"{path}?ms=1", cancellation);

    private static async Task<Round> AllAtOnceAsync(
        ContenderProcess process, int requests, int milliseconds, string path, CancellationToken cancellation)
    {
        using var client = new HttpClient { BaseAddress = Served.Address(process, "/"), Timeout = TimeSpan.FromMinutes(5) };
        var began = Clock.Now;
        var tasks = new Task<string>[requests];
        for (var i = 0; i < requests; i++)
            tasks[i] = client.GetStringAsync(new Uri($"{path}?ms={milliseconds}", UriKind.Relative), cancellation);
        await Task.WhenAll(tasks);
        var seconds = Clock.SecondsSince(began);
        Sleeping.Check(milliseconds, tasks[^1].Result);
        return new Round().AddRate("requests/s", requests, seconds).Add("threads", process.Meter.Threads, "");
    }

    private static IEnumerable<Row> DocumentRows(string name, int requests, int milliseconds)
    {
        if (requests != 1000)
            yield break;

        yield return Row.Fixed("document BIO", name, "requests/s", milliseconds == 10 ? 777.57 : 120.82, "1/s");
        yield return Row.Fixed("document AIO", name, "requests/s", milliseconds == 10 ? 2042.51 : 1839.89, "1/s");
    }
}
