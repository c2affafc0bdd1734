using System.Diagnostics;
using Weir.Lab.Contenders.Floors;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Nobody publishes this figure: workers are killed without pause, and every call is accounted for.</summary>
internal sealed class PoolChaos : Experiment
{
    private const int Workers = 2;
    private const string Killed = "a worker killed every 50 ms";
    private const string HostKilled = "the host killed";

    private static readonly TimeSpan BetweenKills = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan OrphanPatience = TimeSpan.FromSeconds(1);

    public override string Name => "pool-chaos";

    public override string Question => "A worker is killed every 50 ms: which calls are lost, doubled, hung or fail without having run? And who outlives the host?";

    public override string? Document => null;

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(10, 30, 120));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var few = scale.Pick(200, 2_000, 20_000);
        yield return new Case(Killed, [.. Contenders(few).Append(Weir(scale.Pick(500, 10_000, 200_000))).Select(contender => Killing(contender))])
        {
            Rounds = scale.Pick(1, 1, 3),
            WarmUp = false,
        };
        yield return new Case("one death", [PidfdFloor.Of(scale.Pick(3, 20, 100))]) { Rounds = 1, WarmUp = false };
        yield return new Case(HostKilled, [.. Contenders(int.MaxValue).Append(Weir(int.MaxValue)).Select(contender => KillingHost(contender))])
        {
            Rounds = scale.Pick(1, 1, 3),
            WarmUp = false,
        };
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        yield return Promise.Count("no call is lost", measured["weir", Killed, "lost"], Relation.Exactly, 0);
        yield return Promise.Count("no call runs twice", measured["weir", Killed, "doubled"], Relation.Exactly, 0);

        // A worker runs one call: what fails beyond one per kill was only waiting. The oracle itself cannot tell a call that
        // was killed just before its handler's first line from one that had not been begun.
        yield return Promise.Count(
            "only the call that ran fails with its worker: failed calls beyond one per kill",
            measured["weir", Killed, "failed running"] + measured["weir", Killed, "failed waiting"] - measured["weir", Killed, "kills"], Relation.AtMost, 0);
        yield return Promise.Count("the host lives", measured["weir", Killed, "host died"], Relation.Exactly, 0);
        yield return Promise.Count("no worker outlives a killed host by a second", measured["weir", HostKilled, "orphans"], Relation.Exactly, 0);
    }

    private static Chaotic Weir(int calls) => new("weir", ProgramLaunch.OfLab("weir-pool", $"max={Workers}"), Availability.Present, calls);

    // Everyone has the same task: write down that it began, hash a kilobyte, write down that it ended. piscina's workers are
    // threads: nothing can kill one of them.
    private static IEnumerable<Chaotic> Contenders(int calls) =>
    [
        new("document's pool", ProgramLaunch.OfLab("isolation"), Availability.Present, calls),
        .. Peers.Pools.Where(name => name != "piscina").Select(name => new Chaotic(name, Peers.Of(name).Launch, Peers.Of(name).Needs, calls)),
    ];

    private static FreshContender Killing(Chaotic contender) => new(contender.Name, async cancellation =>
    {
        var folder = Directory.CreateTempSubdirectory("weir-lab-chaos-");
        try
        {
            var (kills, died, seconds) = await RunKillingAsync(contender, folder.FullName, cancellation);
            var found = WitnessFiles.Read(folder.FullName, contender.Calls);
            return new Round()
                .Add("calls", contender.Calls, "")
                .Add("kills", kills, "")
                .Add("succeeded", found.Succeeded, "")
                .Add("lost", found.Lost, "")
                .Add("doubled", found.Doubled, "")
                .Add("failed running", found.FailedRunning, "")
                .Add("failed waiting", found.FailedWaiting, "")
                .Add("host died", died ? 1 : 0, "")
                .Add("time", seconds, "s");
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    })
    {
        Needs = contender.Needs,
    };

    private static async Task<(int Kills, bool Died, double Seconds)> RunKillingAsync(Chaotic contender, string folder, CancellationToken cancellation)
    {
        await using var process = await ContenderProcess.StartAsync(contender.Launch, cancellation);
        using var over = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        var began = Clock.Now;
        var killing = KillAsync(process, over.Token);
        var died = false;
        try
        {
            await process.RunAsync(contender.Request(folder), cancellation);
        }
        catch (ContenderException exception) when (exception.HasEnded)
        {
            died = true;
        }

        var seconds = Clock.SecondsSince(began);
        await over.CancelAsync();
        return (await killing, died, seconds);
    }

    // Only processes that the contender, which we started, has started itself.
    private static async Task<int> KillAsync(ContenderProcess process, CancellationToken cancellation)
    {
        var random = new Random(20260101);
        var kills = 0;
        while (!cancellation.IsCancellationRequested)
        {
            await Task.Delay(BetweenKills, cancellation).ContinueWith(_ => { }, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
            var workers = process.Meter.Children.Where(pid => new ProcessMeter(pid).IsAlive).ToArray();
            if (workers.Length > 0 && !cancellation.IsCancellationRequested)
                kills += Kill(workers[random.Next(workers.Length)]) ? 1 : 0;
        }

        return kills;
    }

    private static bool Kill(int pid)
    {
        try
        {
            using var process = Process.GetProcessById(pid);
            process.Kill();
            return true;
        }
        catch (ArgumentException)
        {
            // It ended by itself meanwhile.
            return false;
        }
    }

    private static FreshContender KillingHost(Chaotic contender) => new(contender.Name, async cancellation =>
    {
        var folder = Directory.CreateTempSubdirectory("weir-lab-chaos-");
        try
        {
            await using var process = await ContenderProcess.StartAsync(contender.Launch, cancellation);
            var run = process.RunAsync(contender.Request(folder.FullName), cancellation);
            while (process.Meter.Children.Count < Workers)
                await Task.Delay(20, cancellation);
            await Task.Delay(200, cancellation);

            var workers = process.Meter.Children;
            process.Kill();
            await Task.Delay(OrphanPatience, cancellation);
            var orphans = workers.Where(pid => new ProcessMeter(pid).IsAlive).ToArray();
            foreach (var orphan in orphans)
                Kill(orphan);
            await run.ContinueWith(_ => { }, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
            return new Round().Add("workers", workers.Count, "").Add("orphans", orphans.Length, "");
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
        public ControlLine Request(string folder) => new ControlLine("chaos").With("environment", "pool").With("mode", LineProtocol.Blob)
            .With("kind", nameof(TaskKind.Witnessed)).With("bytes", 1024).With("count", Calls).With("window", 64).With("max", Workers)
            .With("folder", folder).WithRuntime(onMono: false);
    }
}
