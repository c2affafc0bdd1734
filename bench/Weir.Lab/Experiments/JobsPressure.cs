using System.Globalization;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;
using static Weir.Lab.Experiments.PostgreSqlContenders;

namespace Weir.Lab.Experiments;

/// <summary>Jobs at a fixed rate while another session holds a snapshot, so that PostgreSQL may remove no row that has become old.</summary>
internal sealed class JobsPressure : Experiment
{
    private const int Rate = 800;
    private const double Claims = 3;
    private const string Backlog = "backlog";
    private const string Claim = "claim";
    private const string Shutdown = "shutdown";
    private const int Grace = 5_000;
    private const string Without = "weir PostgreSQL, no snapshot held";

    // What the last quarter of a run has cost: by then most old rows are in the way.
    private const double Quarter = 0.75;

    private static readonly string Held = FormattableString.Invariant($"{Rate} jobs a second, a snapshot held");

    public override string Name => "jobs-pressure";

    public override string Question =>
        FormattableString.Invariant($"{Rate} jobs a second on PostgreSQL while a snapshot is held, for 10 minutes (in a quick run for 2 s; without the snapshot and peers for 3 minutes): is any left at the end, and what does a claim cost?");

    public override string? Document => null;

    public override string? QuickLeavesOut => "graphile-worker and pg-boss";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(20, 7, 1_200));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var server = new PostgreSqlServer("shared_preload_libraries=pg_stat_statements");
        var (seconds, shorter) = (Seconds(scale), scale.Pick(1.0, 2, 180));
        yield return new Case(
            Held,
            [
                Contender(PostgreSql, server, seconds, isHeld: true),
                Contender(Without, server, shorter, isHeld: false),
                .. scale == Scale.Quick ? [] : new[] { Contender(Graphile, server, shorter, isHeld: true), Contender(PgBoss, server, shorter, isHeld: true) },
            ])
        {
            // At this rate they mostly wait; in a full run none disturbs the others.
            Rounds = 1,
            AtOnce = scale == Scale.Quick,
            Shared = server,
            Patience = TimeSpan.FromMinutes(15),
        };
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        // A rate that was not offered proves nothing.
        yield return Promise.Count("the jobs are submitted", measured[PostgreSql, Held, "jobs"], Relation.AtLeast, Seconds(scale) * Rate * 0.95);
        yield return Promise.Count("every job is accepted, and none fails", measured[PostgreSql, Held, "failed"], Relation.Exactly, 0);
        yield return Promise.Count("no job is left a second after the last was submitted", measured[PostgreSql, Held, Backlog], Relation.Exactly, 0);
        yield return Promise.Ratio(
            FormattableString.Invariant($"a claim takes at most {Claims} × as long as without a snapshot"), measured[PostgreSql, Held, Claim], measured[Without, Held, Claim], Relation.AtMost, Claims);
        yield return Promise.Latency(FormattableString.Invariant($"with a snapshot held the process stops within its grace of {Grace / 1000} s"), measured[PostgreSql, Held, Shutdown], Grace);
    }

    private static double Seconds(Scale scale) => scale.Pick(1.0, 2, 600);

    // Weir's jobs are submitted by one process and run by another: what a process submits and has a place for is not claimed, but stored as running.
    private static HostedContender Contender(string name, PostgreSqlServer server, double seconds, bool isHeld)
    {
        ContenderProcess? runner = null;
        var isWeir = name is PostgreSql or Without;
        return new HostedContender(name, isWeir ? Launch(name, server, "run=no") : Launch(name, server))
        {
            Needs = Needs(name),
            Before = async cancellation =>
            {
                await server.CreateAsync(Database(name), cancellation);
                await server.AskAsync(Database(name), "CREATE EXTENSION IF NOT EXISTS pg_stat_statements", cancellation);
                return runner = isWeir ? await ContenderProcess.StartAsync(Launch(name, server), cancellation) : null;
            },
            Question = isWeir ? Question(name).With("what", "each elsewhere") : Question(name),
            Expected = Answer,
            WarmUpRequest = new ControlLine("run").With("what", "inline").With("seconds", Math.Min(0.5, seconds)).With("inflight", 4),
            Drive = (process, cancellation) => MeasureAsync(process, runner, server, Database(name), seconds, isHeld, cancellation),
        };
    }

    private static async Task<Round> MeasureAsync(
        ContenderProcess process, ContenderProcess? runner, PostgreSqlServer server, string database, double seconds, bool isHeld, CancellationToken cancellation)
    {
        await using var snapshot = isHeld ? await server.HoldSnapshotAsync(database, cancellation) : null;
        var running = process.RunAsync(new ControlLine("pressure").With("rate", Rate).With("seconds", seconds), cancellation);
        await Task.WhenAny(running, Task.Delay(TimeSpan.FromSeconds(seconds * Quarter), cancellation));
        var (before, began) = (await ClaimsAsync(server, database, cancellation), Clock.Now);
        var round = await running;
        var (claims, took) = (await ClaimsAsync(server, database, cancellation), Clock.SecondsSince(began));
        var dead = await server.AskAsync(database, "SELECT coalesce(sum(n_dead_tup), 0) FROM pg_stat_user_tables", cancellation);
        if (claims.Calls > before.Calls)
            round.Add(Claim, (claims.Milliseconds - before.Milliseconds) / (claims.Calls - before.Calls), "ms").Add("claims/s", (claims.Calls - before.Calls) / took, "1/s");
        if (runner is not null)
            round.Add(Shutdown, (await runner.AskAsync(new ControlLine("stop"), cancellation)).Number("ms"), "ms");
        return round.Add("time", seconds, "s").Add("dead rows", double.Parse(dead, CultureInfo.InvariantCulture), "");
    }

    // All of these queues claim by SKIP LOCKED: the server's own count of such statements, and of the time that it ran them.
    private static async Task<(double Milliseconds, double Calls)> ClaimsAsync(PostgreSqlServer server, string database, CancellationToken cancellation)
    {
        const string sql = """
            SELECT coalesce(sum(total_exec_time), 0) || ' ' || coalesce(sum(calls), 0) FROM pg_stat_statements
            WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND query ILIKE '%skip locked%' AND query ILIKE '%job%' AND query NOT ILIKE '%SET watched%' AND query NOT ILIKE '%pg_stat_statements%'
            """;
        var words = (await server.AskAsync(database, sql, cancellation)).Split(' ');
        return (double.Parse(words[0], CultureInfo.InvariantCulture), double.Parse(words[1], CultureInfo.InvariantCulture));
    }
}
