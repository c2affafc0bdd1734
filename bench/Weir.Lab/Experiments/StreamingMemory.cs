using System.Globalization;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Load;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Document 000: what a million strings cost as an array, and as a stream.</summary>
internal sealed class StreamingMemory : Experiment
{
    private const string Guids = "GUIDs";
    private const string Constants = "constant strings";
    private const double WarmSeconds = 0.3;

    public override string Name => "streaming-memory";

    public override string Question => "Millions of strings as an array and as a stream: memory, time, first byte.";

    public override string? Document => "000";

    public override string? QuickLeavesOut => "the same with constant strings, in which the writers alone are compared";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(10, 23, 290));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        foreach (var count in scale.Pick<int[]>([10_000], [1_000_000], [1_000_000, 5_000_000, 10_000_000]))
        {
            // Without the random generator the writers are compared; the array is the array.
            string[] promised = ["weir", "minimal stream"];
            Case[] kinds =
            [
                .. Case(scale, Guids, count, Ways).Deciding(scale, promised),
                .. scale == Scale.Quick ? [] : Case(scale, Constants, count, Ways).DecidingAtLength(scale, promised),
            ];
            foreach (var @case in kinds)
                yield return @case;
        }

        if (scale == Scale.Full)
            yield return Case(scale, Guids, 100_000_000, Streams.Where(way => way.Name is "weir" or "minimal stream")) with { Rounds = 1 };
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        foreach (var @case in measured.CasesOf("weir"))
        {
            yield return Promise.Count($"{@case}: at most 100 MB resident", measured["weir", @case, "peak RSS"], Relation.AtMost, 100);
            yield return Promise.Latency($"{@case}: the first byte after at most 10 ms", measured["weir", @case, "TTFB"], 10);
            yield return Promise.Ratio(
                $"{@case}: at most 1.1 × the time of the stock stream", measured["weir", @case, "time"], measured["minimal stream", @case, "time"], Relation.AtMost, 1.1);
        }

        if (scale == Scale.Full)
        {
            yield return Promise.Ratio(
                "memory is the same for 1 M and for 100 M", measured["weir", CaseName(Guids, 100_000_000), "peak RSS"],
                measured["weir", CaseName(Guids, 1_000_000), "peak RSS"], Relation.AtMost, 1.1);
        }
    }

    private static string CaseName(string kind, int count) => string.Create(CultureInfo.InvariantCulture, $"{count / 1e6:0.##} M {kind}");

    private static IEnumerable<(string Name, string Program, string Path)> Ways =>
    [
        ("plain array", "mvc", "/guids/array"),
        ("plain stream", "mvc", "/guids/stream"),
        ("minimal stream", "minimal", "/guids/stream"),
        ("weir", "weir", "/guids/stream"),
        ("floor", "raw", "/guids/stream"),
    ];

    private static IEnumerable<(string Name, string Program, string Path)> Streams => Ways.Where(static way => way.Name != "plain array");

    private static Case Case(Scale scale, string kind, int count, IEnumerable<(string Name, string Program, string Path)> ways)
    {
        var name = CaseName(kind, count);
        return new Case(name, [.. ways.Select(way => Contender(way, count, kind == Constants))])
        {
            Rounds = scale.Pick(1, 1, 3),
            WarmUp = false,
            Patience = TimeSpan.FromMinutes(10),
            Given = kind == Guids ? [.. DocumentRows(name, count)] : [],
        };
    }

    // A process of its own for every round: memory and the first byte are those of its first large answer, time that of one
    // after it has sent such answers for a while.
    private static FreshContender Contender((string Name, string Program, string Path) way, int count, bool constant) =>
        FreshContender.Of(way.Name, ProgramLaunch.OfLab(way.Program), async (process, cancellation) =>
        {
            // The code is compiled before anything is measured.
            await ReadAsync(process, way.Path, 2_000, constant, cancellation);
            var start = await HeapAsync(process, "collect", cancellation);
            process.Meter.ForgetPeak();
            var first = await ReadAsync(process, way.Path, count, constant, cancellation);
            var peak = process.Meter.PeakResident;
            var grown = await HeapAsync(process, "heap", cancellation) - start;

            for (var warm = first.Seconds; warm < WarmSeconds;)
                warm += (await ReadAsync(process, way.Path, count, constant, cancellation)).Seconds;
            var later = await ReadAsync(process, way.Path, count, constant, cancellation);
            return new Round()
                .Add("TTFB", first.FirstByte, "ms")
                .Add("time", later.Seconds, "s")
                .Add("peak RSS", peak / 1e6, "MB")
                .Add("heap growth", grown / 1e6, "MB");
        });

    private static Task<Answer> ReadAsync(ContenderProcess process, string path, int count, bool constant, CancellationToken cancellation) => Task.Run(
        () =>
        {
            long first = 0;
            long bytes = 0;
            using var stream = RawStream.Get(process.Ready.Int("port"), $"{path}?count={count}&constant={constant}");
            stream.Read((body, now) =>
            {
                first = first == 0 ? now : first;
                bytes += body.Length;
            });
            if (!stream.IsComplete || stream.Status != 200)
                throw new InvalidDataException($"{path} gave {stream.Status} and {(stream.IsComplete ? "ended" : "broke off")}.");
            return bytes == BodyBytes(count)
                ? new Answer(Clock.MillisecondsBetween(stream.SentAt, first), Clock.SecondsSince(stream.SentAt))
                : throw new InvalidDataException($"{path} gave {bytes} bytes for {count} strings; {BodyBytes(count)} are right.");
        },
        cancellation);

    // An array: each string has 36 characters, its quotes, and a bracket or comma before it.
    private static long BodyBytes(int count) => (count * 39L) + 1;

    private sealed record Answer(double FirstByte, double Seconds);

    private static async Task<double> HeapAsync(ContenderProcess process, string verb, CancellationToken cancellation) =>
        (await process.AskAsync(new ControlLine(verb), cancellation)).Number("bytes");

    private static IEnumerable<Row> DocumentRows(string name, int count)
    {
        var (array, stream) = count switch
        {
            1_000_000 => (228, 92),
            5_000_000 => (1000, 100),
            10_000_000 => (2000, 100),
            _ => (0, 0),
        };
        if (array == 0)
            yield break;

        yield return Row.Fixed("document array", name, "heap growth", array, "MB");
        yield return Row.Fixed("document stream", name, "heap growth", stream, "MB");
    }
}
