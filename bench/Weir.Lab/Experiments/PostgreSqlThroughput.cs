using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;
using static Weir.Lab.Experiments.PostgreSqlContenders;

namespace Weir.Lab.Experiments;

/// <summary>The part of <see cref="JobsThroughput"/> on PostgreSQL, and the same for one job after the other in an idle application.</summary>
internal static class PostgreSqlThroughput
{
    private const int Many = 256;
    private const string Rate = "jobs/s";
    private const string First = "first instruction p50";

    /// <summary>The name of the case of <see cref="JobsLatency"/>.</summary>
    public const string Idle = "an idle system, PostgreSQL";

    private const string Pausing = "PostgreSQL, 4,352 in flight with keys of their own, 4,096 of them run for 1 s";

    private static readonly string[] Promised = [PostgreSql, HangfirePostgreSql, Graphile, PgBoss];

    public static IEnumerable<Case> Cases(Scale scale)
    {
        if (scale == Scale.Quick)
            yield break;

        var server = new PostgreSqlServer();
        var shared = new SharedProcesses(server);
        foreach (var inFlight in new[] { 1, 64, Many })
        {
            string[] names =
            [
                PostgreSql, PostgreSqlDefaults, PostgreSqlIsolated,
                .. inFlight == Many ? new[] { PostgreSqlOneCommit } : [],
                HangfirePostgreSql, Graphile, GraphileBatched, PgBoss,
            ];
            yield return new Case(CaseName(inFlight), [.. names.Select(name => Contender(shared, server, scale, name, inFlight))])
            {
                Rounds = scale.Pick(1, 1, 5),
                Shared = shared,
            };
        }

        // As many keys run as there are places, which a claim with limits counts.
        yield return new Case(Pausing, [.. new[] { PostgreSqlMany, PostgreSqlManyLimits }.Select(name => Contender(shared, server, name, Pause(scale, scale.Pick(0.05, 0.6, 10)), Pause(scale, scale.Pick(0.02, 0.3, 2))))])
        {
            Rounds = scale.Pick(1, 1, 5),
            Shared = shared,
        };

        // The defaults of some ask every two or fifteen seconds: one round shows it.
        if (scale == Scale.Full)
        {
            yield return new Case(CaseName(Many), [.. new[] { HangfirePostgreSqlDefaults, GraphileDefaults, PgBossDefaults }.Select(name => Contender(shared, server, scale, name, Many))])
            {
                Rounds = 1,
                WarmUp = false,
                Shared = shared,
                Patience = TimeSpan.FromMinutes(20),
            };
        }
    }

    public static IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        if (scale == Scale.Quick)
            yield break;

        var @case = CaseName(Many);
        foreach (var (peer, least) in new[] { (Graphile, 1.0), (PgBoss, 3), (HangfirePostgreSql, 5) })
            yield return Promise.Ratio(FormattableString.Invariant($"256 in flight on PostgreSQL: at least {least:0.0} × {peer}"), measured[PostgreSql, @case, Rate], measured[peer, @case, Rate], Relation.AtLeast, least);
        yield return Promise.Ratio(
            "4,096 keys that run on PostgreSQL, one job of each at most: at least 0.7 × the same without a limit", measured[PostgreSqlManyLimits, Pausing, Rate], measured[PostgreSqlMany, Pausing, Rate], Relation.AtLeast, 0.7);
    }

    /// <summary>One job after the other.</summary>
    public static IEnumerable<Case> IdleCases(Scale scale)
    {
        if (scale == Scale.Quick)
            yield break;

        var server = new PostgreSqlServer();
        yield return new Case(Idle, [.. Promised.Select(name => new HostedContender(name, Launch(name, server))
        {
            Needs = Needs(name),
            Before = Making(name, server),
            Request = new ControlLine("run").With("what", "latency").With("count", scale.Pick(5, 100, 500)).With("pause", 5),
        })])
        {
            Rounds = scale.Pick(1, 1, 5),
            Shared = server,
        };
    }

    public static IEnumerable<Promise> IdlePromises(Measured measured, Scale scale)
    {
        if (scale != Scale.Quick)
            yield return Promise.Ratio("on PostgreSQL half of the jobs begin no later than with graphile-worker", measured[PostgreSql, Idle, First], measured[Graphile, Idle, First], Relation.AtMost, 1);
    }

    private static ControlLine Pause(Scale scale, double time) =>
        new ControlLine("run").With("what", "limited-pause").With("seconds", time).With("inflight", Running + Many).With("pause", scale.Pick(10, 1_000, 1_000));

    private static string CaseName(int inFlight) => FormattableString.Invariant($"PostgreSQL, {inFlight} in flight");

    // With one in flight no commit has writes of two jobs: see JobsThroughput.
    private static HostedContender Contender(SharedProcesses shared, PostgreSqlServer server, Scale scale, string name, int inFlight)
    {
        var what = name == PostgreSqlIsolated ? "isolated" : "inline";
        return Contender(shared, server, name, Request(scale.Pick(0.05, 0.6, 5.0)), Request(scale.Pick(0.02, 0.3, 2)));

        ControlLine Request(double time) => new ControlLine("run").With("what", what).With("seconds", time).With("inflight", name == PostgreSqlOneCommit ? 1 : inFlight);
    }

    private static HostedContender Contender(SharedProcesses shared, PostgreSqlServer server, string name, ControlLine request, ControlLine warmUp) => new(name, Launch(name, server))
    {
        Shared = shared,
        Needs = Needs(name),
        Before = Making(name, server),
        Request = request,
        WarmUpRequest = warmUp,
        Question = Question(name),
        Expected = Answer,
    };
}
