using System.Globalization;
using Weir.Lab.Engine;
using Weir.Lab.Load;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Document 001: blocking and asynchronous waiting behind a web server.</summary>
internal sealed class BlockingWeb : Experiment
{
    private const int Connections = 1000;

    public override string Name => "blocking-web";

    public override string Question => "A thousand requests at once that sleep: how many are answered per second?";

    public override string? Document => "001";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(10, 35, 300));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        foreach (var (requests, milliseconds) in scale.Pick<(int, int)[]>([(50, 10)], [(1000, 10)], [(1000, 10), (1000, 100), (10_000, 10), (10_000, 100)]))
            yield return AtOnce(scale, requests, milliseconds);

        foreach (var milliseconds in scale.Pick<int[]>([10], [10, 100], [10, 100]))
            yield return Sustained(scale, milliseconds);
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        var (brief, lengthy) = (SustainedName(scale, 10), SustainedName(scale, 100));
        yield return Promise.Ratio(
            "sleeps of 10 ms: at least 0.9 × a raised minimum", measured["weir", brief, "requests/s"], measured["raised minimum", brief, "requests/s"], Relation.AtLeast, 0.9);
        yield return Promise.Ratio(
            "sleeps of 10 ms: at least 50 × plain", measured["weir", brief, "requests/s"], measured["plain", brief, "requests/s"], Relation.AtLeast, 50);
        if (scale != Scale.Tiny)
        {
            yield return Promise.Ratio(
                "sleeps of 100 ms: at least 0.9 × what a thread per connection allows", measured["weir", lengthy, "requests/s"], measured["floor", lengthy, "requests/s"], Relation.AtLeast, 0.9);
        }
    }

    private static string SustainedName(Scale scale, int milliseconds) =>
        string.Create(CultureInfo.InvariantCulture, $"{scale.Pick(50, Connections, Connections):#,0} connections × {milliseconds} ms");

    // The document's own tool: one client, every request started at once.
    private static Case AtOnce(Scale scale, int requests, int milliseconds)
    {
        var name = string.Create(CultureInfo.InvariantCulture, $"{requests:#,0} at once × {milliseconds} ms");
        var contenders = Contenders((path, process, cancellation) => AllAtOnceAsync(process, requests, $"{path}?ms={milliseconds}", cancellation));

        // Plain blocking takes minutes at ten thousand; the document's own attempt ended in an error.
        return new Case(name, [.. requests <= 1000 ? contenders : contenders.Where(contender => contender.Name != "plain")])
        {
            Rounds = scale.Pick(1, 2, 3),
            Patience = TimeSpan.FromMinutes(5),
            Given = [.. DocumentRows(name, requests, milliseconds)],
        };
    }

    private static Case Sustained(Scale scale, int milliseconds)
    {
        var connections = scale.Pick(50, Connections, Connections);
        var name = SustainedName(scale, milliseconds);
        var duration = TimeSpan.FromSeconds(scale.Pick(0.5, 1.5, 5));
        var contenders = Contenders(async (path, process, cancellation) =>
        {
            var result = await Served.ClosedAsync(process, connections, depth: 1, duration, RequestSet.Get($"{path}?ms={milliseconds}"), cancellation);
            if (result.Errors > 0)
                throw new InvalidDataException($"{result.Errors} of {result.Errors + result.Completed} requests failed.");

            // A starved server may answer nobody in that time.
            var round = new Round().AddRate("requests/s", result.Completed, result.Seconds);
            if (result.Completed > 0)
                round.Add("p50", result.Response.Milliseconds(50), "ms").Add("p99", result.Response.Milliseconds(99), "ms");
            return round.Add("threads", process.Meter.Threads, "").Add("RSS", process.Meter.Resident / 1e6, "MB");
        });
        return new Case(name, [.. milliseconds == 10 || scale == Scale.Full ? contenders : contenders.Where(contender => contender.Name != "plain")])
        {
            Rounds = scale.Pick(1, 2, 3),
            Given = [Row.Fixed("floor", name, "requests/s", connections * 1000.0 / milliseconds, "1/s")],
        };
    }

    private static IEnumerable<Contender> Contenders(Func<string, ContenderProcess, CancellationToken, Task<Round>> drive) =>
        from way in Blocking.Ways
        select new HostedContender(way.Name, ProgramLaunch.OfLab(way.Program, way.Settings))
        {
            Drive = (process, cancellation) => drive(way.Path, process, cancellation),
            Ask = async (process, cancellation) => await Served.FetchAsync(process, $"{way.Path}?ms=1", cancellation),
        };

    private static async Task<Round> AllAtOnceAsync(ContenderProcess process, int requests, string path, CancellationToken cancellation)
    {
        using var client = new HttpClient { BaseAddress = Served.Address(process, "/"), Timeout = TimeSpan.FromMinutes(5) };
        var began = Clock.Now;
        var tasks = new Task<string>[requests];
        for (var i = 0; i < requests; i++)
            tasks[i] = client.GetStringAsync(new Uri(path, UriKind.Relative), cancellation);
        await Task.WhenAll(tasks);
        return new Round().AddRate("requests/s", requests, Clock.SecondsSince(began)).Add("threads", process.Meter.Threads, "");
    }

    private static IEnumerable<Row> DocumentRows(string name, int requests, int milliseconds)
    {
        if (requests != 1000)
            yield break;

        yield return Row.Fixed("document BIO", name, "requests/s", milliseconds == 10 ? 777.57 : 120.82, "1/s");
        yield return Row.Fixed("document AIO", name, "requests/s", milliseconds == 10 ? 2042.51 : 1839.89, "1/s");
    }
}
