using System.Net;
using Weir.Lab.Load;
using Weir.Lab.Processes;

namespace Weir.Lab.Engine;

/// <summary>Measures the resolution: the same raw server twice, by turns.</summary>
internal sealed class ResolutionProbe(Scale scale) : IAsyncDisposable
{
    private const int Connections = 8;

    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(10);

    private readonly List<Contender> _twins = [Twin("one", scale), Twin("other", scale)];

    public async Task<double> MeasureAsync(CancellationToken cancellation)
    {
        foreach (var twin in _twins)
        {
            await twin.PrepareAsync(cancellation);
            await twin.WarmUpAsync(cancellation);
        }

        var rates = _twins.Select(_ => new List<double>()).ToArray();
        for (var round = 0; round < scale.Pick(1, 5, 11); round++)
        {
            for (var i = 0; i < _twins.Count; i++)
                rates[i].Add((await _twins[i].RunAsync(cancellation))["requests/s"]);
        }

        return Resolution.Of(rates[0], rates[1]);
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var twin in _twins)
            await twin.DisposeAsync();
    }

    private static HostedContender Twin(string name, Scale scale) => new(name, ProgramLaunch.OfLab("raw"))
    {
        Drive = async (process, cancellation) =>
        {
            using var reactor = new Reactor(new IPEndPoint(IPAddress.Loopback, process.Ready.Int("port")), Connections);
            // By count: on a machine that is busy a short time may see no answer at all.
            var model = new ClosedModel(RequestSet.Get("/hello/world"), depth: 1, Longest, most: scale.Pick(500, 4_000, 20_000));
            await reactor.RunAsync(model, cancellation);
            return new Round().Add("requests/s", model.Result.WithoutErrors().PerSecond, "1/s");
        },
    };
}
