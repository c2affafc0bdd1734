using System.Globalization;
using System.Text.Json;
using System.Text.RegularExpressions;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Engine;
using Weir.Lab.Load;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>One stream as JSON array, lines and events: how fast, and what a caller can see when it fails.</summary>
internal sealed partial class StreamingFormats : Experiment
{
    private const string Array = "JSON array";
    private const string Lines = "NDJSON";
    private const string Events = "SSE";
    private const string Explained = "with code and index";
    private const string ByHand = "minimal, by hand";
    private const string Floor = "floor";
    private const string Cpu = "cpu/object";
    private const string Allocated = "bytes/object";
    private const int WarmUpMilliseconds = 10;

    public override string Name => "streaming-formats";

    public override string Question => "Small objects as JSON array, NDJSON and SSE: objects per second; and who notices when the source fails?";

    public override string? Document => null;

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(10, 25, 110));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var shared = new SharedProcesses();
        Case[] speeds =
        [
            Speed(scale, shared, Array, ("plain", "mvc", "/samples/array"), ("minimal", "minimal", "/samples/array"), ("weir", "weir", "/samples/all.json"), (Floor, "raw", "/samples/array")),
            Speed(scale, shared, Lines, (ByHand, "minimal", "/samples/ndjson"), ("weir", "weir", "/samples/all.ndjson"), (Floor, "raw", "/samples/ndjson")),
            Speed(scale, shared, Events, ("minimal", "minimal", "/samples/sse"), (ByHand, "minimal", "/samples/events"), ("weir", "weir", "/samples/all.sse"), (Floor, "raw", "/samples/sse")),
        ];

        // The array is the first case of its processes: warmed up for less, it would be measured while they are still compiling.
        foreach (var speed in speeds)
        {
            foreach (var part in speed.Deciding(scale, Peer(speed.Name), "weir", Floor))
                yield return part.Rounds == 1 ? part : part with { WarmFor = TimeSpan.FromSeconds(scale.Pick(0, speed.Name == Array ? 1.5 : 0.5, 2)) };
        }

        foreach (var h2c in new[] { false, true })
        {
            yield return Failures(scale, shared, Array, h2c, ("plain", "mvc", "/samples/fail"), ("minimal", "minimal", "/samples/fail"), ("weir", "weir", "/samples/fail.json"));
            yield return Failures(scale, shared, Lines, h2c, (ByHand, "minimal", "/samples/fail.ndjson"), ("weir", "weir", "/samples/fail.ndjson"), ("weir framed", "weir", "/samples/fail"));
            yield return Failures(scale, shared, Events, h2c, ("minimal", "minimal", "/samples/fail.sse"), ("weir", "weir", "/samples/fail.sse"));
        }
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        foreach (var format in new[] { Array, Lines, Events })
        {
            yield return Promise.Ratio(
                $"{format}: at least 1.3 × the objects that {(format == Array ? "the framework's own writer" : "a loop by hand that sends full buffers")} writes in the same processor time",
                measured[Peer(format), format, Cpu], measured["weir", format, Cpu], Relation.AtLeast, 1.3);

            // The floor has the same producer, which makes each object.
            yield return Promise.Count(
                $"{format}: no managed bytes for an object beyond the object itself (less than one)", measured["weir", format, Allocated] - measured[Floor, format, Allocated], Relation.AtMost, 0.9);
        }

        foreach (var h2c in new[] { false, true })
        {
            foreach (var @case in new[] { Array, Lines, Events }.Select(format => FailureCase(format, h2c)))
                yield return Promise.Count($"{@case}: every failure is seen, %", measured["weir", @case, "failures seen"], Relation.Exactly, 100);
            yield return Promise.Count(
                $"{FailureCase(Lines, h2c)}: every failure says why and where, %", measured["weir framed", FailureCase(Lines, h2c), Explained], Relation.Exactly, 100);
            yield return Promise.Count(
                $"{FailureCase(Events, h2c)}: every failure says why and where, %", measured["weir", FailureCase(Events, h2c), Explained], Relation.Exactly, 100);
        }
    }

    // The best that the framework offers without Weir.
    private static string Peer(string format) => format == Array ? "minimal" : ByHand;

    private static string FailureCase(string format, bool h2c) => $"{format} fails, {(h2c ? "h2c" : "HTTP/1.1")}";

    // The failures ask for HTTP/2 too.
    private static ProgramLaunch Launch(string program) => ProgramLaunch.OfLab(program, "h2c=1");

    private static Case Speed(Scale scale, SharedProcesses shared, string format, params IEnumerable<(string Name, string Program, string Path)> ways) =>
        new(format, [.. ways.Select(way => SpeedContender(way, shared, scale.Pick(50, 300, 2_000), scale.Pick(50, 250, 500)))])
        {
            Rounds = scale.Rounds(),
            Shared = shared,
        };

    // For a time: the number of objects is not known before.
    private static HostedContender SpeedContender((string Name, string Program, string Path) way, SharedProcesses shared, int milliseconds, int warmUp)
    {
        return new HostedContender(way.Name, Launch(way.Program))
        {
            Shared = shared,
            Ask = async (process, cancellation) => Objects(await Served.FetchAsync(process, $"{way.Path}?count=3&ms=0", cancellation)),
            Expected = Objects(JsonSerializer.Serialize(Enumerable.Range(0, 3).Select(Sample.Make), JsonSerializerOptions.Web)),
            // Many short ones: the runtime counts how often a method is called, and one stream calls some once.
            WarmUp = (process, cancellation) => Task.Run(
                () =>
                {
                    for (var i = 0; i < warmUp / WarmUpMilliseconds; i++)
                        ReadAll(process, Path(WarmUpMilliseconds));
                },
                cancellation),
            Drive = async (process, cancellation) =>
            {
                var before = await process.CountersAsync(cancellation);
                var (count, seconds) = await Task.Run(() => ReadAll(process, Path(milliseconds)), cancellation);
                var used = await process.CountersAsync(cancellation) - before;
                return new Round()
                    .AddRate("objects/s", count, seconds)
                    .Add(Cpu, used.CpuSeconds * 1e9 / count, "ns")
                    .Add(Allocated, (double)used.AllocatedBytes / count, "B");
            },
        };

        string Path(int ms) => string.Create(CultureInfo.InvariantCulture, $"{way.Path}?count={int.MaxValue}&ms={ms}");
    }

    // The objects of a body without what its format puts around them.
    private static string Objects(string body) => string.Join('\n', Object().Matches(body).Select(match => match.Value));

    private static (long Count, double Seconds) ReadAll(ContenderProcess process, string path)
    {
        var samples = new SampleCounter();
        using var stream = RawStream.Get(process.Ready.Int("port"), path);
        stream.Read((body, _) => samples.Feed(body));
        var seconds = Clock.SecondsSince(stream.SentAt);
        if (!stream.IsComplete || stream.Status != 200)
            throw new InvalidDataException($"{path} gave {stream.Status} and {(stream.IsComplete ? "ended" : "broke off")}.");
        return (samples.Count(), seconds);
    }

    [GeneratedRegex("\\{\"id\"[^}]*\\}")]
    private static partial Regex Object();

    private static Case Failures(Scale scale, SharedProcesses shared, string format, bool h2c, params IEnumerable<(string Name, string Program, string Path)> ways) =>
        new(FailureCase(format, h2c), [.. ways.Select(way => FailureContender(way, shared, h2c, scale.Pick(2, 6, 50)))])
        {
            Rounds = 1,
            WarmUp = false,
            Shared = shared,
        };

    private static HostedContender FailureContender((string Name, string Program, string Path) way, SharedProcesses shared, bool h2c, int times) =>
        new(way.Name, Launch(way.Program))
        {
            Shared = shared,
            Drive = async (process, cancellation) =>
            {
                using var probe = new FailureProbe(process.Ready.Int(h2c ? "h2c" : "port"), h2c)
                {
                    // What generated clients ask for: lines with an ending in band.
                    Accept = way.Name == "weir framed" ? "application/x-ndjson; weir=1" : null,
                };
                var seen = 0;
                var explained = 0;
                for (var after = 0; after < times; after++)
                {
                    var outcome = await probe.FetchAsync($"{way.Path}?after={after}", after, cancellation);
                    seen += outcome.Seen ? 1 : 0;
                    explained += outcome.Explained ? 1 : 0;
                }

                return new Round()
                    .Add("failures seen", 100.0 * seen / times, "%")
                    .Add(Explained, 100.0 * explained / times, "%");
            },
        };
}
