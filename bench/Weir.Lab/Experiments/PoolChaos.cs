using Weir.Lab.Contenders.Floors;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>No other project publishes this figure: workers are killed without pause, and every call is accounted for.</summary>
internal sealed class PoolChaos : Experiment
{
    private const int Workers = 2;
    private const string Killed = "a worker killed every 50 ms";
    private const string HostKilled = "the host killed";
    private const string BeyondOne = "failed beyond one per killed worker";

    // A run continues until so many workers were killed that had run a call.
    private const int EnoughKills = 50;

    private static readonly TimeSpan HungPatience = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan OrphanPatience = TimeSpan.FromSeconds(1);

    public override string Name => "pool-chaos";

    public override string Question => "A worker is killed every 50 ms: which calls are lost, doubled, hung or fail without having run? And who outlives the host?";

    public override string? Document => null;

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(17, 9, 65));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        // Calls are made for that long at most, also if they fail or hang.
        var most = TimeSpan.FromSeconds(scale.Pick(3, 10, 60));
        var (kills, others) = (scale.Pick(3, EnoughKills, EnoughKills), scale.Pick(3, EnoughKills / 2, EnoughKills));
        yield return new Case(
            Killed,
            [
                .. Contenders(scale.Pick(200, 1_000, 20_000)).Select(contender => Killing(contender with { Most = most, EnoughKills = others })),
                Killing(Weir(scale.Pick(500, 10_000, 200_000)) with { Most = most, EnoughKills = kills }),
            ])
        {
            Rounds = scale.Pick(1, 1, 3),
            WarmUp = false,
        };
        yield return new Case("one death", [PidfdFloor.Of(scale.Pick(3, 20, 100))]) { Rounds = 1, WarmUp = false };

        // Most of it is the second that a worker may take to notice.
        yield return new Case(HostKilled, [.. Contenders(int.MaxValue).Append(Weir(int.MaxValue)).Select(contender => KillingHost(contender))])
        {
            Rounds = scale.Pick(1, 1, 3),
            AtOnce = true,
            WarmUp = false,
        };
        yield return HostKills.Case(scale);
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        // Without kills all the others would hold.
        yield return Promise.Count("workers are killed that had run calls", measured["weir", Killed, "kills"], Relation.AtLeast, scale.Pick(1, EnoughKills / 5, EnoughKills));
        yield return Promise.Count("no call is lost", measured["weir", Killed, "lost"], Relation.Exactly, 0);
        yield return Promise.Count(
            FormattableString.Invariant($"no call hangs: each has an ending within {HungPatience.TotalSeconds} s"), measured["weir", Killed, "hung"], Relation.Exactly, 0);
        yield return Promise.Count("no call runs twice", measured["weir", Killed, "doubled"], Relation.Exactly, 0);

        // A worker runs one call, and the exception of a failed one names the worker. The oracle alone cannot distinguish a call that was killed just
        // before its handler's first line from one that had not been begun: "failed waiting" has both.
        yield return Promise.Count(
            "only the call that ran fails with its worker: failed calls beyond one per killed worker", measured["weir", Killed, BeyondOne], Relation.Exactly, 0);
        yield return Promise.Count("the host lives", measured["weir", Killed, "host died"], Relation.Exactly, 0);
        yield return Promise.Count("nothing outlives a killed host by a second", measured["weir", HostKilled, "orphans"], Relation.Exactly, 0);
        foreach (var promise in HostKills.Promises(measured))
            yield return promise;
    }

    private static Chaotic Weir(int calls) => new("weir", ProgramLaunch.OfLab("weir-pool", $"max={Workers}"), Availability.Present, calls) { NamesTheLost = true };

    // Each contender has the same task: write down that it began, hash a kilobyte, write down that it ended. Nothing can kill one of
    // the workers that are threads.
    private static IEnumerable<Chaotic> Contenders(int calls) =>
    [
        new("document's pool", ProgramLaunch.OfLab("isolation"), Availability.Present, calls),
        .. Peers.PoolsOfProcesses.Select(name => new Chaotic(name, Peers.Of(name, Workers).Launch, Peers.Of(name, Workers).Needs, calls)),
    ];

    private static FreshContender Killing(Chaotic contender) => new(contender.Name, async cancellation =>
    {
        var folder = Directory.CreateTempSubdirectory("weir-lab-chaos-");
        try
        {
            var (killer, died, hung, seconds) = await RunKillingAsync(contender, folder.FullName, cancellation);
            var found = WitnessFiles.Read(folder.FullName);
            var round = new Round()
                .Add("calls", found.Made, "")
                .Add("kills", killer.Kills, "")
                .Add("succeeded", found.Succeeded, "")
                .Add("lost", found.NeverDone + (hung ? 0 : found.Unended), "")
                .Add("hung", found.Hung + (hung ? found.Unended : 0), "")
                .Add("doubled", found.Doubled, "")
                .Add("failed running", found.FailedRunning, "")
                .Add("failed waiting", found.FailedWaiting, "")
                .Add("host died", died ? 1 : 0, "")
                .Add("time", seconds, "s");
            return contender.NamesTheLost
                ? round.Add(BeyondOne, found.FailedBeyondOneOf(killer.Killed), "").Add("failed with no worker named", found.FailedUnnamed, "")
                : round;
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    })
    {
        Needs = contender.Needs,
    };

    private static async Task<(WorkerKiller Killer, bool Died, bool Hung, double Seconds)> RunKillingAsync(Chaotic contender, string folder, CancellationToken cancellation)
    {
        await using var process = await ContenderProcess.StartAsync(contender.Launch, cancellation);
        using var over = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        var killer = new WorkerKiller(process, folder, contender.EnoughKills);
        var began = Clock.Now;
        var killing = killer.RunAsync(over.Token);
        var (died, hung) = (false, false);
        try
        {
            await process.RunAsync(contender.Request(folder), cancellation).WaitAsync(contender.Most + HungPatience, cancellation);
        }
        catch (ContenderException exception) when (exception.HasEnded)
        {
            died = true;
        }
        catch (TimeoutException)
        {
            hung = true;
        }

        var seconds = Clock.SecondsSince(began);
        await over.CancelAsync();
        await killing;
        if (hung)
            process.KillAll();
        return (killer, died, hung, seconds);
    }

    private static FreshContender KillingHost(Chaotic contender) => new(contender.Name, async cancellation =>
    {
        var folder = Directory.CreateTempSubdirectory("weir-lab-chaos-");
        try
        {
            // Every process that it starts, at any time, has the mark.
            var mark = new EnvironmentMark();
            await using var process = await ContenderProcess.StartAsync(mark.On(contender.Launch), cancellation);
            var run = process.RunAsync(contender.Request(folder.FullName), cancellation);
            while (process.Meter.Children.Count < Workers)
                await Task.Delay(20, cancellation);
            await Task.Delay(200, cancellation);

            var workers = mark.Bearers.Count - 1;
            process.Kill();
            await Task.Delay(OrphanPatience, cancellation);
            var orphans = mark.Bearers;
            foreach (var orphan in orphans)
                WorkerKiller.Kill(orphan);
            await run.ContinueWith(_ => { }, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
            return new Round().Add("workers", workers, "").Add("orphans", orphans.Count, "");
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    })
    {
        Needs = contender.Needs,
    };

    private sealed record Chaotic(string Name, ProgramLaunch Launch, Availability Needs, int Calls)
    {
        /// <summary>Calls are made for that long at most.</summary>
        public TimeSpan Most { get; init; } = TimeSpan.FromMinutes(1);

        public int EnoughKills { get; init; }

        /// <summary>Whether its exceptions name the worker that a call was lost with.</summary>
        public bool NamesTheLost { get; init; }

        public ControlLine Request(string folder) => new ControlLine("chaos").With("environment", "pool").With("mode", LineProtocol.Blob)
            .With("kind", nameof(TaskKind.Witnessed)).With("bytes", 1024).With("count", Calls).With("window", 64).With("max", Workers)
            .With("seconds", Most.TotalSeconds).With("patience", HungPatience.TotalSeconds).With("folder", folder).WithRuntime(onMono: false);
    }
}
