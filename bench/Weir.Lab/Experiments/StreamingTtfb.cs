using System.Text.RegularExpressions;
using Weir.Lab.Engine;
using Weir.Lab.Load;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Document 000: when the first of a hundred slow items arrives.</summary>
internal sealed partial class StreamingTtfb : Experiment
{
    private const int Delay = 20;
    private const string Tls = "TLS, HTTP/2";
    private const string Chromium = "Chromium";
    private const string Async = "weir async";
    private const string Blocking = "weir blocking";
    private const string Isolated = "weir isolated";

    private static readonly string[] Promised = [Async, Blocking, Isolated];

    private static readonly HttpClient TlsClient = new(new SocketsHttpHandler
    {
        SslOptions = { RemoteCertificateValidationCallback = static (_, certificate, _, _) => certificate?.Subject == "CN=127.0.0.1" },
    })
    {
        DefaultRequestVersion = System.Net.HttpVersion.Version20,
        DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
    };

    public override string Name => "streaming-ttfb";

    public override string Question => "100 items of 20 ms each: when does the first arrive, and how old is each when it does?";

    public override string? Document => "000";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(15, 18, 165));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        // Items take their time, and those who send them next to none: where nothing is promised they do so at the same time.
        var (items, shared) = (Items(scale), new SharedProcesses());
        var raw = new Case(Raw(scale), [.. Contenders(shared, Ways, items, Served.FetchAsync, (process, path, _) =>
            StreamReading.RawAsync(process.Ready.Int("port"), path, items)), Floor(items)])
        {
            Rounds = scale.Pick(1, 1, 3),
            Shared = shared,
        };
        foreach (var part in raw.DecidingAtLength(scale, Promised))
            yield return part with { AtOnce = !part.Contenders.Any(contender => Promised.Contains(contender.Name)), WarmFor = TimeSpan.Zero };

        var encrypted = scale == Scale.Quick ? Ways.Where(static way => way.Name is "plain stream" or Async or Isolated) : Ways;
        yield return new Case(Named(Tls, items), [.. Contenders(shared, encrypted, items, FetchOverTlsAsync, (process, path, cancellation) =>
            StreamReading.ClientAsync(TlsClient, AddressOverTls(process, path), items, cancellation))])
        {
            Rounds = scale.Pick(1, 1, 3),
            AtOnce = true,
            Shared = shared,
        };

        // A browser takes seconds to start: a quick run lets it see the document's two ways, and Weir's two ends.
        string[] seen = ["plain array", "plain stream", Async, Isolated];
        var browsed = scale == Scale.Full ? Ways : Ways.Where(way => seen.Contains(way.Name));
        yield return new Case(Named(Chromium, items), [.. Contenders(shared, browsed, items, Served.FetchAsync, Browser.FetchAsync, Peers.Chromium)])
        {
            Rounds = scale.Pick(1, 1, 3),
            WarmUp = false,
            Shared = shared,
            Given = [.. DocumentRows(Named(Chromium, items), items)],
        };

        // What comes after the first items of a process is no colder than elsewhere; and arrays that look like streams have been seen.
        var cold = scale == Scale.Quick ? Ways.Where(static way => way.Name is not ("plain lazy" or Blocking)) : Ways;
        var chilled = new Case(Cold(scale), [.. ColdContenders(cold, ColdItems(scale))])
        {
            Rounds = scale.Pick(1, 1, 3),
            WarmUp = false,
        };
        foreach (var part in chilled.Deciding(scale, Async))
            yield return part;
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        yield return Promise.Latency("an asynchronous producer's first item arrives after at most 25 ms", measured[Async, Raw(scale), "TTFB"], 25);
        yield return Promise.Latency("a blocking producer's first item arrives after at most 30 ms", measured[Blocking, Raw(scale), "TTFB"], 30);
        yield return Promise.Latency("an isolated producer's first item arrives after at most 30 ms", measured[Isolated, Raw(scale), "TTFB"], 30);
        foreach (var contender in Promised)
            yield return Promise.Latency($"{contender}: an item is at most 6 ms old when it arrives (median)", measured[contender, Raw(scale), "item age p50"], 6);
        yield return Promise.Latency("a cold process sends its first item after at most 60 ms", measured[Async, Cold(scale), "TTFB"], 60);
    }

    private static int Items(Scale scale) => scale.Pick(5, 12, 100);

    private static int ColdItems(Scale scale) => scale.Pick(5, 5, 100);

    private static string Named(string transport, int items) => $"{transport}, {items} items";

    private static string Raw(Scale scale) => Named("raw TCP", Items(scale));

    private static string Cold(Scale scale) => Named("cold process", ColdItems(scale));

    private static IEnumerable<Contender> Contenders(
        SharedProcesses shared,
        IEnumerable<(string Name, string Program, string Path, string[] Settings)> ways,
        int items,
        Func<ContenderProcess, string, CancellationToken, Task<string>> fetch,
        Func<ContenderProcess, string, CancellationToken, Task<Round>> drive,
        Availability? needs = null)
    {
        foreach (var (name, program, path, settings) in ways)
        {
            var asked = Path(path, items, Delay);
            yield return new HostedContender(name, ProgramLaunch.OfLab(program, ["tls=1", .. settings]))
            {
                Needs = needs ?? Availability.Present,
                Shared = shared,
                Drive = (process, cancellation) => drive(process, asked, cancellation),

                // The whole way once, with a few quick items, over the transport that is measured.
                WarmUp = (process, cancellation) => fetch(process, Path(path, 5, 1), cancellation),
                Ask = (process, cancellation) => AnswerAsync(process, path, cancellation),
            };
        }
    }

    private static Uri AddressOverTls(ContenderProcess process, string path) => new($"https://127.0.0.1:{process.Ready["tls"]}{path}");

    private static Task<string> FetchOverTlsAsync(ContenderProcess process, string path, CancellationToken cancellation) =>
        TlsClient.GetStringAsync(AddressOverTls(process, path), cancellation);

    private static HostedContender Floor(int items) => new("floor", ProgramLaunch.OfLab("raw"))
    {
        Drive = (process, _) => StreamReading.RawAsync(process.Ready.Int("port"), Path("/weather/stream", items, Delay), items),
        Ask = (process, cancellation) => AnswerAsync(process, "/weather/stream", cancellation),
    };

    private static IEnumerable<Contender> ColdContenders(IEnumerable<(string Name, string Program, string Path, string[] Settings)> ways, int items) =>
        from way in ways
        select new FreshContender(way.Name, async cancellation =>
        {
            var began = Clock.Now;
            await using var process = await ContenderProcess.StartAsync(ProgramLaunch.OfLab(way.Program, way.Settings), cancellation);
            var round = await StreamReading.RawAsync(process.Ready.Int("port"), Path(way.Path, items, Delay), items);
            var total = Clock.MillisecondsBetween(began, Clock.Now);
            return round.Add("exec to first item", total - round["total"] + round["TTFB"], "ms");
        });

    // How the documents' author, and a reader who knows the framework, would write it.
    private static IEnumerable<(string Name, string Program, string Path, string[] Settings)> Ways =>
    [
        ("plain array", "mvc", "/weather/array", []),
        ("plain stream", "mvc", "/weather/stream", []),
        ("plain lazy", "mvc", "/weather/lazy", []),
        ("minimal stream", "minimal", "/weather/stream", []),
        (Async, "weir", "/weather/stream", []),
        (Blocking, "weir", "/weather/lazy", []),
        (Isolated, "weir", "/weather/isolated", ["workers=1"]),
    ];

    // Read off a browser's tools, for a hundred items.
    private static IEnumerable<Row> DocumentRows(string name, int items)
    {
        var hundred = items == 100 ? "" : ", 100 items";
        yield return Row.Fixed($"document array{hundred}", name, "TTFB", 3500, "ms");
        yield return Row.Fixed($"document stream{hundred}", name, "TTFB", 475, "ms");
        yield return Row.Fixed($"document stream{hundred}", name, "total", 3850, "ms");
    }

    private static string Path(string path, int days, int delay) => $"{path}?days={days}&delay={delay}";

    // The stamps differ; all other bytes must be equal.
    private static async Task<string?> AnswerAsync(ContenderProcess process, string path, CancellationToken cancellation) =>
        Stamp().Replace(await Served.FetchAsync(process, Path(path, 5, 1), cancellation), "");

    [GeneratedRegex("\"at\":\\d+")]
    private static partial Regex Stamp();
}
