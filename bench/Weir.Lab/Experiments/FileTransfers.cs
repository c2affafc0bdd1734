using System.Globalization;
using System.Net.Http.Headers;
using Weir.Lab.Contenders.OnWeir;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Engine;
using Weir.Lab.Load;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Content that goes up, through a worker, and down again in one request: how fast, and how much memory its processes ever hold.</summary>
internal static class FileTransfers
{
    public const string Isolated = "weir";
    public const string Inline = "weir inline";
    public const string ByHand = "temp file by hand";
    public const string Rate = "rate";
    public const string HostPeak = "host peak RSS";
    public const string WorkerPeak = "worker peak RSS";

    private const double LeastOfInline = 0.5;
    private const double MostOfHost = 150;
    private const double MostOfWorker = 100;

    // What is hashed at both ends, and what warms up.
    private const long CheckedBytes = 16_000_000;

    public static string Name(Scale scale) => string.Create(CultureInfo.InvariantCulture, $"{Bytes(scale) / 1e9:0.###} GB up and down");

    public static Case Case(Scale scale) => new(Name(scale),
    [
        Contender(Isolated, "FilesInWorker", workers: 1, scale),
        Contender(Inline, "FilesInline", workers: 0, scale),
        Contender(ByHand, "FilesByHand", workers: 1, scale),
    ])
    {
        Rounds = scale.Pick(1, QuickCases.PromisedRounds, 3),
        WarmFor = TimeSpan.FromSeconds(scale.Pick(0, 0.3, 1)),
        Patience = TimeSpan.FromMinutes(10),
    };

    public static IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        var name = Name(scale);
        yield return Promise.Ratio(
            FormattableString.Invariant($"{name}: at least {LeastOfInline} × the rate of the same operation inline"), measured[Isolated, name, Rate], measured[Inline, name, Rate], Relation.AtLeast, LeastOfInline);
        yield return Promise.Count(FormattableString.Invariant($"{name}: the host holds at most {MostOfHost} MB"), measured[Isolated, name, HostPeak], Relation.AtMost, MostOfHost);
        yield return Promise.Count(FormattableString.Invariant($"{name}: the worker holds at most {MostOfWorker} MB"), measured[Isolated, name, WorkerPeak], Relation.AtMost, MostOfWorker);
    }

    private static long Bytes(Scale scale) => scale.Pick(4_000_000L, 64_000_000, 5_000_000_000);

    private static HostedContender Contender(string name, string service, int workers, Scale scale) =>
        new(name, ProgramLaunch.OfLab("weir", $"pool={FilesInWorker.Pool}", $"workers={workers}"))
        {
            Ask = (process, cancellation) => CheckAsync(process, service, cancellation),
            Expected = GeneratedContent.HashOf(CheckedBytes),
            WarmUp = (process, _) => EchoedContent.RunAsync(Served.EndPoint(process), $"/{service}/Echo", CheckedBytes),
            Drive = (process, cancellation) => MeasureAsync(process, service, workers > 0, Bytes(scale), cancellation),
        };

    // What arrived where the operation runs, by its hash; and what came back, which is compared byte by byte.
    private static async Task<string?> CheckAsync(ContenderProcess process, string service, CancellationToken cancellation)
    {
        using var client = new HttpClient();
        using var body = new StreamContent(new GeneratedContent(CheckedBytes) { IsSized = true });
        body.Headers.ContentType = new MediaTypeHeaderValue("application/octet-stream");
        using var response = await client.PostAsync(Served.Address(process, $"/{service}/Hash"), body, cancellation);
        var hash = await response.Content.ReadAsStringAsync(cancellation);
        await EchoedContent.RunAsync(Served.EndPoint(process), $"/{service}/Echo", CheckedBytes);
        return hash.Trim('"');
    }

    private static async Task<Round> MeasureAsync(ContenderProcess process, string service, bool hasWorker, long bytes, CancellationToken cancellation)
    {
        var worker = hasWorker ? new ProcessMeter(await WorkerAsync(process, cancellation)) : null;
        process.Meter.ForgetPeak();
        worker?.ForgetPeak();
        var seconds = await EchoedContent.RunAsync(Served.EndPoint(process), $"/{service}/Echo", bytes);
        var round = new Round().Add(Rate, bytes / 1e6 / seconds, "MB/s").Add(HostPeak, process.Meter.PeakResident / 1e6, "MB");
        if (worker is not null)
        {
            if (await WorkerAsync(process, cancellation) != worker.Pid)
                throw new InvalidDataException($"The worker {worker.Pid} was replaced while it was measured.");

            round.Add(WorkerPeak, worker.PeakResident / 1e6, "MB");
        }

        return round;
    }

    private static async Task<int> WorkerAsync(ContenderProcess process, CancellationToken cancellation) =>
        int.Parse(await Served.FetchAsync(process, "/FilesInWorker/ProcessId", cancellation), CultureInfo.InvariantCulture);
}
