using Weir.Lab.Contenders.Floors;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>What a pool of processes costs by itself: nothing here has any work to do.</summary>
internal sealed class PoolGoals : Experiment
{
    private const int Megabyte = 1024 * 1024;
    private const int Window = 256;
    private const string Null = "null calls, one worker, 256 in flight";
    private const string Payload = "1 MB there, nothing to do";
    private const string Death = "a worker killed in a call";
    private const string Idle = "an idle pool";

    // The name of the runtime's thread for tiered compilation, as the kernel cuts it.
    private const string Compiler = ".NET Tiered";
    private static readonly TimeSpan CompilerStays = TimeSpan.FromSeconds(8);

    public override string Name => "pool-goals";

    public override string Question => "What does a pool cost when there is nothing to do: calls, payloads, deaths, idleness?";

    public override string? Document => null;

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(13, 34, 290));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        yield return NullCalls(scale);
        yield return Payloads(scale);
        yield return WorkerFailure(scale);
        yield return PoolAfterKill.Case(scale);
        yield return PoolBounds.Case(scale);
        yield return Idleness(scale);
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        yield return Against(Peers.Piscina, 15);
        yield return Against(Peers.BusyPiscina, 8);
        yield return Against(Peers.WorkerpoolThreads, 25);
        yield return Against(Peers.ProcessPoolExecutor, 100);
        yield return Promise.Ratio(
            "1 MB into a worker: at least 0.8 × the bare socket", measured["weir", Payload, "tasks/s"], measured["floor socket", Payload, "tasks/s"], Relation.AtLeast, 0.8);
        yield return Promise.Ratio(
            "a call that is lost with its worker ends at most 2 × as late as a bare pidfd tells of the same death", measured["weir", Death, "× pidfd"], Relation.AtMost, 2);
        yield return PoolAfterKill.Promise(measured);
        foreach (var promise in PoolBounds.Promises(measured))
            yield return promise;
        yield return Promise.Count("an idle worker wakes up at most once per second", measured["weir", Idle, "worker wake-ups/s"], Relation.AtMost, 1);
        yield return Promise.Count("an idle worker has at most 5 threads", measured["weir", Idle, "worker threads"], Relation.AtMost, 5);
        yield return Promise.Count("the pool's threads in the host do not wake up", measured["weir", Idle, "pool thread wake-ups"], Relation.Exactly, 0);

        Promise Against(string peer, double limit) => Promise.Ratio(
            $"{Null}: at least {limit} × {peer}", measured["weir", Null, "tasks/s"], measured[peer, Null, "tasks/s"], Relation.AtLeast, limit);
    }

    // An empty buffer there, an empty text back.
    private static ControlLine NullCall() => new ControlLine("pool").With("mode", LineProtocol.Blob).With("kind", nameof(TaskKind.Nothing)).With("bytes", 0);

    private static ControlLine Round(Scale scale, ControlLine request) => request.Copy().With("seconds", scale.Pick(0.05, 0.25, 1));

    private static ControlLine WarmUp(Scale scale, ControlLine request) => request.Copy().With("seconds", PoolWarmUp.Seconds(scale));

    private static Case NullCalls(Scale scale)
    {
        var request = NullCall().With("window", Window);
        return new Case(Null,
        [
            .. Peers.PoolsInFlight.Select(name => Peers.Pool(name, workers: 1, Round(scale, request), WarmUp(scale, request))),
            Weir("weir", 1, Round(scale, request), WarmUp(scale, request)),
        ])
        {
            Rounds = scale.Pick(1, QuickCases.PromisedRounds, 5),
        }.LikeAPool(scale);
    }

    private static Case Payloads(Scale scale)
    {
        // A warm-up is about as long as any other.
        var (count, warm) = (scale.Pick(10, 400, 2_000), scale.Pick(10, 1_500, 1_500));
        return new Case(Payload,
        [
            Weir("weir", 1, Request(count), Request(warm)),
            new SocketFloor(new RoundTrips(LineProtocol.Blob, TaskKind.Nothing, Megabyte, count) { WarmUpSeconds = PoolWarmUp.Seconds(scale) }),
        ])
        {
            Rounds = scale.Pick(1, QuickCases.PromisedRounds, 5),
        }.LikeAPool(scale);

        static ControlLine Request(int times) => new ControlLine("payload").With("bytes", Megabyte).With("count", times);
    }

    private static Case WorkerFailure(Scale scale) => new(Death, [Weir("weir", 1, new ControlLine("deaths").With("count", scale.Pick(2, 5, 50)))])
    {
        Rounds = scale.Pick(1, QuickCases.PromisedRounds, 3),
        WarmUp = false,
    };

    private static Case Idleness(Scale scale) => new(Idle,
    [
        FreshContender.Of("weir", ProgramLaunch.OfLab("weir-pool", "max=1"), async (process, cancellation) =>
        {
            await process.AskAsync(new ControlLine("answer").With("bytes", 1024), cancellation);

            // New methods are compiled again after a tenth of a second.
            await Task.Delay(TimeSpan.FromSeconds(scale.Pick(0.3, 1, 5)), cancellation);
            var worker = new ProcessMeter(process.Meter.Children.Single());
            var threads = process.Meter.ThreadsOf("weir");
            if (threads == 0)
                throw new InvalidDataException("The pool has no thread by its name: there is nothing to count.");

            var (before, pool, began) = (worker.Waits, process.Meter.WaitsOf("weir"), Clock.Now);
            await Task.Delay(TimeSpan.FromSeconds(scale.Pick(0.5, 2, 10)), cancellation);
            var round = new Round()
                .Add("worker wake-ups/s", (worker.Waits - before) / Clock.SecondsSince(began), "")
                .Add("pool thread wake-ups", process.Meter.WaitsOf("weir") - pool, "")
                .Add("pool threads", threads, "");

            // The runtime keeps the thread that compiled for some seconds.
            while (worker.ThreadsOf(Compiler) > 0 && Clock.SecondsSince(began) < CompilerStays.TotalSeconds)
                await Task.Delay(50, cancellation);
            return round.Add("worker threads", worker.Threads, "").Add("worker Private_Dirty", worker.PrivateDirty / 1e6, "MB");
        }),
    ])
    {
        Rounds = scale.Pick(1, 1, 3),
        WarmUp = false,
    };

    private static HostedContender Weir(string name, int workers, ControlLine request, ControlLine? warmUp = null) =>
        new(name, ProgramLaunch.OfLab("weir-pool", $"max={workers}"))
        {
            Request = request,
            WarmUpRequest = warmUp,
            Question = new ControlLine("answer").With("bytes", 0),
            Expected = HelloAnswer.Of(0),
        };
}
