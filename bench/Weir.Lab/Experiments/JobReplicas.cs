using Weir.Lab.Engine;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;
using static Weir.Lab.Experiments.JobContenders;
using static Weir.Lab.Experiments.PostgreSqlContenders;

namespace Weir.Lab.Experiments;

/// <summary>The part of <see cref="JobsChaos"/> on PostgreSQL: three processes on one server, and the five faults by which hardbyte compares queues.</summary>
internal static class JobReplicas
{
    private const int Size = 3;
    private const int Submitters = 32;
    private const int Lease = 5;
    private const int Grace = 5_000;
    private const string ReplicaKills = "kills of processes";
    private const string WorkerKills = "kills of workers";
    private const string Exits = "processes that ended by themselves";
    private const string Shutdown = "slowest shutdown";
    private const string Disturbed = "disturbances";

    private const string Killed = "PostgreSQL, a process killed every 5 s, a worker every 50 ms";
    private const string Crashed = "PostgreSQL, a process killed once";
    private const string Restarted = "PostgreSQL, stopped for 3 s";
    private const string Ended = "PostgreSQL, all sessions ended five times a second";
    private const string Taken = "PostgreSQL, every connection taken";

    // With a lease this long until a killed process is known to be lost, twice, and the ends of what runs again.
    private const double Patience = 60;

    private static readonly (string Name, bool KillsWorkers, Func<ReplicaGroup, PostgreSqlServer, double, Counter, CancellationToken, Task> Fault)[] Faults =
    [
        (Killed, true, static (group, _, most, counter, over) => EveryAsync(TimeSpan.FromSeconds(Math.Min(5, most / 3)), counter, () => Kill(group), over)),
        (Crashed, false, static (group, _, most, counter, over) => OnceAsync(most, counter, () => Kill(group, 0), over)),
        (Restarted, false, static (_, server, most, counter, over) => OnceAsync(most, counter, () => server.RestartAsync(TimeSpan.FromSeconds(3), CancellationToken.None), over)),
        (Ended, false, static (_, server, _, counter, over) => EveryAsync(TimeSpan.FromMilliseconds(200), counter, () => server.EndSessionsAsync(CancellationToken.None), over)),
        (Taken, false, static (_, server, most, counter, over) => OnceAsync(most, counter, () => TakeAsync(server, most, over), over)),
    ];

    public static IEnumerable<Case> Cases(Scale scale)
    {
        if (scale == Scale.Quick)
            yield break;

        foreach (var (name, killsWorkers, fault) in Faults)
        {
            var server = new PostgreSqlServer("max_connections=80");
            yield return new Case(name, [Contender(server, scale, killsWorkers, (group, counter, over) => fault(group, server, Most(scale, name), counter, over), Most(scale, name), Jobs(scale, name))])
            {
                Rounds = 1,
                WarmUp = false,
                Patience = TimeSpan.FromMinutes(20),
                Shared = server,
            };
        }
    }

    /// <summary>Hangfire beside the first of them.</summary>
    /// <param name="scale">How much is run.</param>
    /// <param name="killing">Makes the contender from its name, what starts it with more settings, and its number of jobs.</param>
    public static IEnumerable<Case> PeerCases(Scale scale, Func<string, Func<string[], CancellationToken, Task<ProgramLaunch>>, int, Contender> killing)
    {
        if (scale == Scale.Quick)
            yield break;

        var server = new PostgreSqlServer();
        yield return new Case(Killed, [killing(HangfirePostgreSql, StartedAsync, scale.Pick(20, 500, 5_000))])
        {
            Rounds = 1,
            WarmUp = false,
            Patience = TimeSpan.FromMinutes(15),
            Shared = server,
        };

        async Task<ProgramLaunch> StartedAsync(string[] settings, CancellationToken cancellation)
        {
            await server.CreateAsync(Database(HangfirePostgreSql), cancellation);
            return Launch(HangfirePostgreSql, server, ["invisible=5000", .. settings]);
        }
    }

    public static IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        if (scale == Scale.Quick)
            yield break;

        yield return Promise.Count("processes on PostgreSQL are killed", measured[PostgreSql, Killed, ReplicaKills], Relation.AtLeast, scale.Pick(1, 1, 10));
        yield return Promise.Count("their workers are killed that had run jobs", measured[PostgreSql, Killed, WorkerKills], Relation.AtLeast, scale.Pick(1, 20, 500));
        foreach (var (name, _, _) in Faults)
        {
            yield return Promise.Count($"{name}: it is disturbed", measured[PostgreSql, name, Disturbed], Relation.AtLeast, 1);
            yield return Promise.Count($"{name}: every job is accepted", measured[PostgreSql, name, "jobs"], Relation.Exactly, Jobs(scale, name));
            foreach (var broken in new[] { "lost", "doubled", "hung", "failed otherwise" })
                yield return Promise.Count($"{name}: no job is {broken}", measured[PostgreSql, name, broken], Relation.Exactly, 0);
            yield return Promise.Count($"{name}: no process ends by itself", measured[PostgreSql, name, Exits], Relation.Exactly, 0);
            yield return Promise.Latency(FormattableString.Invariant($"{name}: every process stops within its grace of {Grace / 1000} s"), measured[PostgreSql, name, Shutdown], Grace);
        }
    }

    // Kills need time, and the other faults are over at once.
    private static double Most(Scale scale, string name) => name == Killed ? scale.Pick(4.0, 8, 300) : scale.Pick(4.0, 8, 30);

    private static int Jobs(Scale scale, string name) => name == Killed ? scale.Pick(3_000, 10_000, 100_000) : scale.Pick(500, 10_000, 20_000);

    private static FreshContender Contender(PostgreSqlServer server, Scale scale, bool killsWorkers, Func<ReplicaGroup, Counter, CancellationToken, Task> fault, double most, int jobs)
    {
        FreshContender contender = null!;
        contender = new FreshContender(PostgreSql, async cancellation =>
        {
            await server.CreateAsync(Database(PostgreSql), cancellation);
            await using var directory = new SharedDirectory();
            var (witness, counter) = (directory.Folder("witness"), new Counter());
            var launch = Launch(PostgreSql, server, "pool=chaos", FormattableString.Invariant($"lease={Lease}"), $"directory={directory.Folder("store")}", $"witness={witness}");
            using var group = new ReplicaGroup(launch, witness, Size, killsWorkers);
            var figures = await group.RunAsync(jobs, scale.Pick(8, Submitters, Submitters), most, Patience, (all, over) => fault(all, counter, over), cancellation);
            contender.RunsOn = group.Runtime;
            return JobsChaos.RoundOf(JobOutcomes.Read(witness))
                .Add(ReplicaKills, group.Kills, "")
                .Add(WorkerKills, group.WorkerKills, "")
                .Add(Exits, group.Exits, "")
                .Add(Disturbed, counter.Count, "")
                .Add(Shutdown, figures[Shutdown], "ms")
                .Add("chaos", figures["chaos"], "s");
        })
        {
            Needs = Needs(PostgreSql),
        };
        return contender;
    }

    private static Task Kill(ReplicaGroup group, int? which = null)
    {
        group.Kill(which);
        return Task.CompletedTask;
    }

    // Again and again, from the beginning: jobs may be accepted soon.
    private static async Task EveryAsync(TimeSpan interval, Counter counter, Func<Task> act, CancellationToken over)
    {
        while (true)
        {
            await Task.Delay(interval, over);
            await act();
            counter.Count++;
        }
    }

    // Soon enough that jobs are still submitted.
    private static async Task OnceAsync(double most, Counter counter, Func<Task> act, CancellationToken over)
    {
        await Task.Delay(TimeSpan.FromSeconds(Math.Min(2, most / 4)), over);
        counter.Count++;
        await act();
    }

    private static async Task TakeAsync(PostgreSqlServer server, double most, CancellationToken over)
    {
        await using var taken = new TakenConnections(server.Folder, PostgreSqlServer.User, Database(PostgreSql));
        await Task.Delay(TimeSpan.FromSeconds(most / 2), over);
    }

    // How often a fault was made.
    private sealed class Counter
    {
        public int Count { get; set; }
    }
}
