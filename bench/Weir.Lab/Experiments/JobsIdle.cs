using System.Globalization;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;
using static Weir.Lab.Experiments.JobContenders;
using static Weir.Lab.Experiments.PostgreSqlContenders;

namespace Weir.Lab.Experiments;

/// <summary>What jobs cost that are not due.</summary>
internal sealed class JobsIdle : Experiment
{
    private const string Nothing = "no jobs";
    private const string Transactions = "transactions beyond one a renewal";

    // A process renews its lease six times within it.
    private const double Renewals = 6;

    // Per second: 0.5 % of a processor.
    private const double MostCpu = 5;

    // The runtime compiles what was new, and keeps threads that had work, for some seconds.
    private static readonly TimeSpan UntilRest = TimeSpan.FromSeconds(4);

    // A session of PostgreSQL that does nothing more counts its last transactions after 10 s.
    private static readonly TimeSpan UntilCounted = TimeSpan.FromSeconds(12);

    public override string Name => "jobs-idle";

    public override string Question => "300 kinds of jobs, half of them isolated, and 100,000 jobs (in a quick run 10,000) that are due in a month: what does the application do for 60 s (10 s)?";

    public override string? Document => null;

    public override string? QuickLeavesOut => LeftOut;

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(40, 11, 190));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var seconds = scale.Pick(0.3, 5, 60);
        yield return new Case(CaseName(scale),
        [
            FreshContender.Of(Nothing, ProgramLaunch.OfJobKinds("store=sqlite", "min=0"), (process, cancellation) => RestAsync(process, seconds, cancellation)),
            new FreshContender(Sqlite, cancellation => ScheduledAsync(scale, seconds, cancellation)),
        ])
        {
            // They only wait, so they do so beside each other.
            Rounds = 1,
            AtOnce = true,
            WarmUp = false,
        };
        if (scale == Scale.Quick)
            yield break;

        // What a vacuum does is no work of a process with jobs.
        var server = new PostgreSqlServer("autovacuum=off");
        yield return new Case(CaseName(scale), [new FreshContender(PostgreSql, cancellation => OnPostgreSqlAsync(server, scale, seconds, cancellation)) { Needs = Needs(PostgreSql) }])
        {
            Rounds = 1,
            WarmUp = false,
            Patience = TimeSpan.FromMinutes(5),
            Shared = server,
        };
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        var name = CaseName(scale);
        yield return Promise.Count("jobs that are not due have no workers", measured[Sqlite, name, "workers"], Relation.Exactly, 0);
        yield return Promise.Count("jobs that are not due take at most 0.5 % of a processor (5 ms/s)", measured[Sqlite, name, "CPU"], Relation.AtMost, MostCpu);
        if (scale == Scale.Quick)
            yield break;

        yield return Promise.Count("on PostgreSQL they have no workers", measured[PostgreSql, name, "workers"], Relation.Exactly, 0);
        yield return Promise.Count("on PostgreSQL they take at most 0.5 % of a processor (5 ms/s)", measured[PostgreSql, name, "CPU"], Relation.AtMost, MostCpu);
        yield return Promise.Count("on PostgreSQL they make at most one transaction a renewal of the lease", measured[PostgreSql, name, Transactions], Relation.AtMost, 0);
    }

    private static int Count(Scale scale) => scale.Pick(300, 10_200, 100_200);

    private static string CaseName(Scale scale) => FormattableString.Invariant($"{Count(scale):N0} jobs of 300 kinds, none due");

    // Stored by one process, and there when another one starts.
    private static async Task<Round> ScheduledAsync(Scale scale, double seconds, CancellationToken cancellation)
    {
        await using var directory = new SharedDirectory();
        var folder = directory.Folder("idle");
        await using (var filling = await ContenderProcess.StartAsync(ProgramLaunch.OfJobKinds("store=sqlite", "min=0", $"directory={folder}"), cancellation))
            await filling.RunAsync(new ControlLine("schedule").With("count", Count(scale)), cancellation);

        await using var process = await ContenderProcess.StartAsync(ProgramLaunch.OfJobKinds("store=sqlite", "min=0", $"directory={folder}"), cancellation);
        return await RestAsync(process, seconds, cancellation);
    }

    // The same on PostgreSQL, and how many transactions its server has counted.
    private static async Task<Round> OnPostgreSqlAsync(PostgreSqlServer server, Scale scale, double seconds, CancellationToken cancellation)
    {
        var lease = scale.Pick(6, 60, 60);
        string[] settings = ["store=postgresql", Connection(PostgreSql, server), "min=0", FormattableString.Invariant($"lease={lease}")];
        await server.CreateAsync(Database(PostgreSql), cancellation);
        await using (var filling = await ContenderProcess.StartAsync(ProgramLaunch.OfJobKinds(settings), cancellation))
            await filling.RunAsync(new ControlLine("schedule").With("count", Count(scale)), cancellation);

        await server.AskAsync(Database(PostgreSql), "ANALYZE", cancellation);
        await using var process = await ContenderProcess.StartAsync(ProgramLaunch.OfJobKinds(settings), cancellation);
        await Task.Delay(UntilCounted, cancellation);
        var (before, began, cpu) = (await TransactionsAsync(), Clock.Now, server.Meter.CpuSecondsOfAll);
        var round = await RestAsync(process, seconds, cancellation);
        var (transactions, took) = (await TransactionsAsync() - before, Clock.SecondsSince(began));
        return round
            .Add("transactions", transactions, "")
            .Add("renewals at most", Math.Floor(took * Renewals / lease) + 1, "")
            .Add(Transactions, Math.Max(0, transactions - Math.Floor(took * Renewals / lease) - 1), "")
            .Add("CPU of the server", (server.Meter.CpuSecondsOfAll - cpu) * 1_000 / took, "ms/s");

        async Task<double> TransactionsAsync() => double.Parse(
            await server.AskAsync("postgres", $"SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = '{Database(PostgreSql)}'", cancellation), CultureInfo.InvariantCulture);
    }

    private static async Task<Round> RestAsync(ContenderProcess process, double seconds, CancellationToken cancellation)
    {
        await Task.Delay(UntilRest, cancellation);
        var meter = process.Meter;
        var idle = await Idleness.OverAsync(meter, TimeSpan.FromSeconds(seconds), cancellation);
        return new Round()
            .Add("workers", meter.Children.Count(pid => new ProcessMeter(pid).IsAlive), "")
            .Add("CPU", idle.CpuMilliseconds, "ms/s")
            .Add("wake-ups", idle.Wakeups, "1/s")
            .Add("threads", meter.Threads, "")
            .Add("resident", meter.Resident / 1e6, "MB");
    }
}
