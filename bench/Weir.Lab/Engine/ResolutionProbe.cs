using Weir.Lab.Processes;
using Weir.Load.Measuring;
using Weir.Load.Requests;

namespace Weir.Lab.Engine;

/// <summary>Measures what this machine can tell apart right now: the same raw server twice, as contenders of a case like any other.</summary>
internal sealed class ResolutionProbe(TimeProvider time, Scale scale, Func<string, Contender> twin)
{
    private const string Rate = "requests/s";
    private const int Connections = 8;

    private static readonly TimeSpan WarmFor = TimeSpan.FromSeconds(1.2);
    private static readonly TimeSpan OneWarmUp = WarmFor / 2;

    /// <summary>A probe of raw Kestrel servers.</summary>
    public ResolutionProbe(Scale scale)
        : this(TimeProvider.System, scale, name => RawServer(name, scale.Pick(TimeSpan.FromSeconds(0.05), TimeSpan.FromSeconds(0.3), TimeSpan.FromSeconds(0.5))))
    {
    }

    public async Task<double> MeasureAsync(CancellationToken cancellation)
    {
        var @case = new Case("resolution", [twin("one"), twin("other")])
        {
            Rounds = scale.Pick(3, 6, 11),
            WarmFor = scale == Scale.Tiny ? TimeSpan.Zero : WarmFor,
        };
        var result = await new RoundScheduler(time, new SilentObserver()).RunAsync(@case, cancellation);
        if (result.Failed is [var failure, ..])
            throw new InvalidOperationException($"What this machine can tell apart could not be measured: {failure.Reason}");

        var measured = new Measured(result.Rows, [@case]);
        return Resolution.OfTwins(measured["one", @case.Name, Rate], measured["other", @case.Name, Rate]);
    }

    // By time and not by count: rounds that are shorter than the time slices of a busy machine show nothing. The load itself waits longer for a
    // server that has not answered yet.
    private static HostedContender RawServer(string name, TimeSpan duration)
    {
        return new HostedContender(name, ProgramLaunch.OfLab("raw"))
        {
            Drive = async (process, cancellation) => new Round().Add(Rate, (await LoadAsync(process, duration, cancellation)).PerSecond, "1/s"),
            WarmUp = (process, cancellation) => LoadAsync(process, OneWarmUp, cancellation),
        };

        static async Task<LoadResult> LoadAsync(ContenderProcess process, TimeSpan duration, CancellationToken cancellation) =>
            (await Served.ClosedAsync(process, Connections, depth: 1, duration, RequestSet.Get("/hello/world"), cancellation)).WithoutErrors();
    }
}
