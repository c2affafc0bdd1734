using System.Globalization;
using Weir.Lab.Engine;
using Weir.Lab.Load;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>What callers cost who ask for an endless stream and take nothing of it: memory of the server, and of the kernel.</summary>
internal sealed class SlowReaders : Experiment
{
    private const string Weir = "weir";
    private const string Endless = "/guids/stream?count=2000000000&constant=false";

    // The least that the kernel keeps for a reader: what is measured is the server's end.
    private const int ReceiveBuffer = 4096;
    private const double PageSize = 4096;

    // Of a processor.
    private const double Rest = 0.1;

    // Less than a server may wait for one reader.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(25);

    // In a quick run for minimal API, which needs longer to fill the kernel's buffers, and about which nothing is promised.
    private static readonly TimeSpan ShortPatience = TimeSpan.FromSeconds(2);

    private static readonly TimeSpan Sample = TimeSpan.FromMilliseconds(250);

    public override string Name => "slow-readers";

    public override string Question => "Many callers of an endless stream take nothing: how much memory do the server and the kernel hold for them?";

    public override string? Document => null;

    public override string? QuickLeavesOut => "a server that lets Kestrel keep 8 KB for a response: nothing is promised about it";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(5, 8, 150));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        foreach (var readers in Counts(scale))
        {
            yield return new Case(CaseName(readers),
            [
                Contender(Weir, "weir", readers, Patience),
                .. scale == Scale.Quick ? [] : new[] { Contender("weir, 8 KB in Kestrel", "weir", readers, Patience, "writeBuffer=8192") },
                Contender("minimal", "minimal", readers, scale == Scale.Quick ? ShortPatience : Patience),
            ])
            {
                Rounds = scale.Pick(1, 1, 3),
                WarmUp = false,
            };
        }
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        foreach (var readers in Counts(scale))
        {
            var most = readers switch { <= 200 => 110, <= 2_000 => 250, _ => 400 };
            yield return Promise.Count($"{CaseName(readers)}: at most {most} MB resident", measured[Weir, CaseName(readers), "resident"], Relation.AtMost, most);
        }
    }

    private static int[] Counts(Scale scale) => scale.Pick<int[]>([20], [200], [2_000, 10_000]);

    private static string CaseName(int readers) => string.Create(CultureInfo.InvariantCulture, $"{readers:N0} readers that stand still");

    private static FreshContender Contender(string name, string program, int readers, TimeSpan patience, params IEnumerable<string> settings) =>
        FreshContender.Of(name, ProgramLaunch.OfLab(program, settings), (process, cancellation) => MeasureAsync(process, readers, patience, cancellation));

    private static async Task<Round> MeasureAsync(ContenderProcess process, int readers, TimeSpan patience, CancellationToken cancellation)
    {
        await Served.FetchAsync(process, "/guids/stream?count=20000&constant=false", cancellation);
        var (resident, kernel) = (process.Meter.Resident, KernelBytes());
        using var crowd = new StreamCrowd(Served.EndPoint(process), Endless, readers, ReceiveBuffer);
        await SettleAsync(process, patience, cancellation);
        return new Round()
            .Add("resident", process.Meter.Resident / 1e6, "MB")
            .Add("resident by reader", (process.Meter.Resident - resident) / 1e3 / readers, "KB")
            .Add("kernel by reader", (KernelBytes() - kernel) / 1e3 / readers, "KB");
    }

    // Until the server rests: then it waits for all its readers.
    private static async Task SettleAsync(ContenderProcess process, TimeSpan patience, CancellationToken cancellation)
    {
        var began = Clock.Now;
        var rests = 0;
        for (var last = process.Meter.CpuSeconds; rests < 4 && Clock.SecondsSince(began) < patience.TotalSeconds;)
        {
            await Task.Delay(Sample, cancellation);
            var now = process.Meter.CpuSeconds;
            rests = now - last < Rest * Sample.TotalSeconds ? rests + 1 : 0;
            last = now;
        }
    }

    // Counts all connections of the machine, so nothing else may serve connections during the measurement.
    private static double KernelBytes()
    {
        var words = ProcFile.Text("/proc/net/sockstat").Split('\n').FirstOrDefault(static line => line.StartsWith("TCP:", StringComparison.Ordinal))?.Split(' ') ?? [];
        var place = Array.IndexOf(words, "mem");
        return place < 0 ? 0 : double.Parse(words[place + 1], CultureInfo.InvariantCulture) * PageSize;
    }
}
