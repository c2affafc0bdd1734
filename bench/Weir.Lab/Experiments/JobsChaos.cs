using Weir.Lab.Contenders.Work;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;
using static Weir.Lab.Experiments.JobContenders;

namespace Weir.Lab.Experiments;

/// <summary>Workers and the host are killed again and again while jobs are submitted and run, and every job is accounted for.</summary>
internal sealed class JobsChaos : Experiment
{
    private const string Killed = "a worker killed every 50 ms, the host every 5 s";
    private const string HostKills = "kills of the host";
    private const string WorkerKills = "kills of workers";

    // Each waits for the end of its job.
    private const int Submitters = 64;

    private static readonly TimeSpan HostLife = TimeSpan.FromSeconds(5);

    public override string Name => "jobs-chaos";

    public override string Question =>
        "100,000 jobs (in a quick run 10,000) are submitted while a worker is killed every 50 ms and the host every 5 s: which are lost, doubled or hung? The same with three processes on PostgreSQL, and four other faults. Hangfire has no workers to kill, and fewer jobs.";

    public override string? Document => null;

    public override string? QuickLeavesOut => PostgreSqlContenders.LeftOut;

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(80, 24, 1_600));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var most = scale.Pick(5, 8.0, 300);
        yield return new Case(Killed,
        [
            Killing(Sqlite, Started(Sqlite, "pool=chaos"), scale.Pick(200, 10_000, 100_000), most, Patience(scale)),
            Killing(HangfireSqlite, Started(HangfireSqlite, "invisible=5000"), scale.Pick(20, 500, 5_000), most, Patience(scale)),
        ])
        {
            Rounds = 1,
            WarmUp = false,
            AtOnce = scale != Scale.Full,
            Patience = TimeSpan.FromMinutes(15),
        };
        foreach (var @case in JobReplicas.Cases(scale))
            yield return @case;
        foreach (var @case in JobReplicas.PeerCases(scale, (name, started, jobs) => Killing(name, started, jobs, most, Patience(scale), PostgreSqlContenders.Needs(name))))
            yield return @case;
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        // Without kills all the others would hold.
        yield return Promise.Count("the host is killed", measured[Sqlite, Killed, HostKills], Relation.AtLeast, scale.Pick(0, 1, 10));
        yield return Promise.Count("workers are killed that had run jobs", measured[Sqlite, Killed, WorkerKills], Relation.AtLeast, scale.Pick(1, 20, 500));
        yield return Promise.Count("every job is accepted", measured[Sqlite, Killed, "jobs"], Relation.Exactly, scale.Pick(200, 10_000, 100_000));
        yield return Promise.Count("no job is lost", measured[Sqlite, Killed, "lost"], Relation.Exactly, 0);
        yield return Promise.Count("no job is doubled", measured[Sqlite, Killed, "doubled"], Relation.Exactly, 0);
        yield return Promise.Count(
            FormattableString.Invariant($"no job hangs: each has ended {Patience(scale)} s after the last was accepted"), measured[Sqlite, Killed, "hung"], Relation.Exactly, 0);
        yield return Promise.Count("no job fails but by a kill", measured[Sqlite, Killed, "failed otherwise"], Relation.Exactly, 0);
        foreach (var promise in JobReplicas.Promises(measured, scale))
            yield return promise;
    }

    // In seconds, from the acceptance of the last job.
    private static double Patience(Scale scale) => scale.Pick(10, 15, 30);

    // Kills for so many seconds at most: how many jobs end between two kills depends on the machine.
    private static FreshContender Killing(string name, Func<string[], CancellationToken, Task<ProgramLaunch>> started, int jobs, double most, double patience, Availability? needs = null)
    {
        FreshContender contender = null!;
        contender = new FreshContender(name, async cancellation =>
        {
            await using var directory = new SharedDirectory();
            var folder = directory.Folder("witness");
            var launch = await started([$"directory={directory.Folder("store")}", $"witness={folder}"], cancellation);
            var (hosts, workers, before, began) = (0, 0, 0, Clock.Now);
            while (true)
            {
                // What is left then is submitted to a host that lives.
                var isCalm = Clock.SecondsSince(began) >= most;
                before = isCalm ? ChaosJobs.Accepted(folder).Count() : jobs;
                await using var process = await ContenderProcess.StartAsync(launch, cancellation);
                contender.RunsOn = process.Runtime;
                var killer = new WorkerKiller(process, folder, int.MaxValue);
                var request = new ControlLine("submit").With("count", jobs).With("inflight", Submitters);
                var isOver = isCalm ? await CalmlyAsync(process, request, cancellation) : await RunAsync(process, killer, request, cancellation);
                workers += killer.Kills;
                if (!isOver)
                {
                    hosts++;
                    continue;
                }

                var seconds = Clock.SecondsSince(began);
                await process.RunAsync(new ControlLine("settle").With("seconds", patience), cancellation);
                return RoundOf(JobOutcomes.Read(folder)).Add(HostKills, hosts, "").Add(WorkerKills, workers, "").Add("accepted beside kills", before, "").Add("chaos", Math.Min(seconds, most), "s");
            }
        })
        {
            Needs = needs ?? Availability.Present,
        };
        return contender;
    }

    private static Func<string[], CancellationToken, Task<ProgramLaunch>> Started(string name, string setting) => (settings, _) => Task.FromResult(Launch(name, [setting, .. settings]));

    // From the start of a host to its end by a kill, or until all jobs are accepted: then it lives.
    private static async Task<bool> RunAsync(ContenderProcess process, WorkerKiller killer, ControlLine request, CancellationToken cancellation)
    {
        using var over = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        var killing = killer.RunAsync(over.Token);
        var submitting = process.RunAsync(request, cancellation);
        var isOver = await Task.WhenAny(submitting, Task.Delay(HostLife, cancellation)) == submitting;
        if (!isOver)
            process.Kill();
        await over.CancelAsync();
        await killing;
        if (isOver)
            await submitting;
        else
            await submitting.ContinueWith(static _ => { }, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
        return isOver;
    }

    private static async Task<bool> CalmlyAsync(ContenderProcess process, ControlLine request, CancellationToken cancellation)
    {
        await process.RunAsync(request, cancellation);
        return true;
    }

    /// <summary>What became of the jobs, as figures.</summary>
    public static Round RoundOf(JobOutcomes jobs) => new Round()
        .Add("jobs", jobs.Accepted, "")
        .Add("succeeded", jobs.Ok, "")
        .Add("lost", jobs.Lost, "")
        .Add("doubled", jobs.Doubled, "")
        .Add("hung", jobs.Hung, "")
        .Add("failed (crashed)", jobs.FailedCrashed, "")
        .Add("failed (lost)", jobs.FailedLost, "")
        .Add("failed otherwise", jobs.FailedOtherwise, "")
        .Add("started again", jobs.StartedAgain, "");
}
