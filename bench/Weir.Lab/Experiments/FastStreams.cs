using Weir.Lab.Engine;
using Weir.Lab.Load;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;
using Weir.Load.Measuring;
using Weir.Load.Raw;
using Weir.Load.Requests;

namespace Weir.Lab.Experiments;

/// <summary>What streams that are sent as fast as the server can cost other requests: their callers disconnect at once, or continue to read.</summary>
internal static class FastStreams
{
    private const string Weir = "weir";

    private const string Endless = "/guids/stream?count=2000000000&constant=false";
    private const string Hello = "/hello/world";
    private const int AskingConnections = 64;
    private const double IdleShare = 0.2;

    private static readonly (string Name, string Program)[] Ways = [(Weir, "weir"), ("minimal", "minimal")];
    private static readonly TimeSpan Sample = TimeSpan.FromMilliseconds(100);

    public static string LeavingCase(Scale scale) => $"{Leaving(scale)} callers leave at once";

    public static string BesideCase(int readers) => $"beside {readers} readers at full speed";

    public static IReadOnlyList<int> Readers(Scale scale) => scale.Pick<int[]>([2], [32], [8, 32]);

    public static IEnumerable<Case> Cases(Scale scale)
    {
        // A new process for each round: some servers do not survive it.
        return
        [
            Case(LeavingCase(scale), scale, (process, cancellation) => LeaveAsync(process, scale, cancellation)),
            .. Readers(scale).Select(readers => Case(BesideCase(readers), scale, (process, cancellation) => AskBesideAsync(process, readers, scale, cancellation))),
        ];
    }

    public static IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        yield return Promise.Count($"{LeavingCase(scale)}: every other request is answered", measured[Weir, LeavingCase(scale), "unanswered"], Relation.Exactly, 0);
        yield return Promise.Latency($"{LeavingCase(scale)}: the slowest other request takes at most 100 ms", measured[Weir, LeavingCase(scale), "hello worst"], 100);
        yield return Promise.Latency($"{LeavingCase(scale)}: the server is idle after at most 1 s", measured[Weir, LeavingCase(scale), "idle after"], 1000);
        foreach (var readers in Readers(scale))
        {
            yield return Promise.Latency($"{BesideCase(readers)}: p50 of at most 10 ms", measured[Weir, BesideCase(readers), "hello p50"], 10);
            yield return Promise.Latency($"{BesideCase(readers)}: p99 of at most 25 ms", measured[Weir, BesideCase(readers), "hello p99"], 25);
        }
    }

    private static int Leaving(Scale scale) => scale.Pick(4, 100, 500);

    private static Case Case(string name, Scale scale, Func<ContenderProcess, CancellationToken, Task<Round>> drive) =>
        new(name, [.. Ways.Select(way => FreshContender.Of(way.Name, ProgramLaunch.OfLab(way.Program), drive))])
        {
            Rounds = scale.Rounds(),
            WarmUp = false,
        };

    private static async Task<Round> LeaveAsync(ContenderProcess process, Scale scale, CancellationToken cancellation)
    {
        await WarmAsync(process, cancellation);
        using (var crowd = new StreamCrowd(Served.EndPoint(process), Endless, Leaving(scale)))
        {
            using var enough = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
            enough.CancelAfter(TimeSpan.FromSeconds(scale.Pick(0.2, 1, 1)));
            await crowd.ReadAsync(enough.Token);
        }

        var left = Clock.Now;
        var patience = TimeSpan.FromSeconds(scale.Pick(2, 2, 10));
        var asking = AskAsync(process, TimeSpan.FromSeconds(1), patience, cancellation);
        var idleAfter = await IdleAsync(process, left, patience, cancellation);
        var hello = await asking;
        return new Round()
            .Add("hello worst", hello.Response.Milliseconds(100), "ms")
            .Add("unanswered", hello.Errors, "")
            .Add("idle after", idleAfter, "ms");
    }

    private static async Task<Round> AskBesideAsync(ContenderProcess process, int readers, Scale scale, CancellationToken cancellation)
    {
        await WarmAsync(process, cancellation);
        using var crowd = new StreamCrowd(Served.EndPoint(process), Endless, readers);
        using var enough = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        var began = Clock.Now;
        var reading = crowd.ReadAsync(enough.Token);
        await Task.Delay(TimeSpan.FromSeconds(scale.Pick(0.1, 1, 2)), cancellation);
        var hello = await AskAsync(process, TimeSpan.FromSeconds(scale.Pick(0.3, 2, 5)), TimeSpan.FromSeconds(5), cancellation);
        await enough.CancelAsync();
        return new Round()
            .Add("hello p50", hello.Response.Milliseconds(50), "ms")
            .Add("hello p99", hello.Response.Milliseconds(99), "ms")
            .Add("unanswered", hello.Errors, "")
            .Add("generator late p99", hello.Lateness.Milliseconds(99), "ms")
            .Add("read", await reading / 1e6 / Clock.SecondsSince(began), "MB/s");
    }

    // The code is compiled before anything is measured.
    private static async Task WarmAsync(ContenderProcess process, CancellationToken cancellation)
    {
        for (var i = 0; i < 3; i++)
        {
            await Served.FetchAsync(process, "/guids/stream?count=20000&constant=false", cancellation);
            await Served.ClosedAsync(process, 4, 1, TimeSpan.FromMilliseconds(100), RequestSet.Get(Hello), cancellation);
        }
    }

    private static async Task<LoadResult> AskAsync(ContenderProcess process, TimeSpan duration, TimeSpan patience, CancellationToken cancellation)
    {
        using var asking = new Reactor(Served.EndPoint(process), AskingConnections, new ReactorOptions { IsUrgent = true });
        var model = new OpenModel(RequestSet.Get(Hello), rate: 100, duration, patience);
        await asking.RunAsync(model, cancellation);
        return model.Result;
    }

    // The first moment from which it used less than a fifth of a processor for a while; the patience where there is none.
    private static async Task<double> IdleAsync(ContenderProcess process, long since, TimeSpan patience, CancellationToken cancellation)
    {
        while (Clock.SecondsSince(since) < patience.TotalSeconds)
        {
            var (cpu, began) = (process.Meter.CpuSeconds, Clock.Now);
            await Task.Delay(Sample, cancellation);
            if (process.Meter.CpuSeconds - cpu < IdleShare * Clock.SecondsSince(began))
                return Clock.MillisecondsBetween(since, began);
        }

        return patience.TotalMilliseconds;
    }
}
