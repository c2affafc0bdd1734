using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;
using static Weir.Lab.Experiments.JobContenders;

namespace Weir.Lab.Experiments;

/// <summary>Durable jobs that do nothing: from their submission to the moment at which their submitter knows that they have ended.</summary>
internal sealed class JobsThroughput : Experiment
{
    private const int Many = 256;
    private const string Rate = "jobs/s";

    private static readonly string[] Promised = [Sqlite, OneCommit, HangfireSqlite, .. WithLimits];

    public override string Name => "jobs-throughput";

    public override string Question => "Jobs per second, from submission to a durable end that the submitter has waited for, with 1, 64 and 256 in flight.";

    public override string? Document => null;

    public override string? QuickLeavesOut => $"Hangfire with its defaults on SQLite, which asks for jobs every 15 s; {PostgreSqlContenders.LeftOut}";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(55, 32, 1_160));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var shared = new SharedProcesses();
        foreach (var inFlight in new[] { 1, 64, Many })
        {
            var @case = new Case(CaseName(inFlight), [.. Names(scale, inFlight).Select(name => Contender(shared, scale, name, inFlight))])
            {
                Rounds = scale.Pick(1, 1, 5),
                Shared = shared,
            };

            // A quick run decides about 256 in flight only.
            foreach (var part in scale == Scale.Tiny || (scale == Scale.Quick && inFlight != Many) ? [@case] : @case.Deciding(scale, Promised))
                yield return part;
        }

        foreach (var @case in PostgreSqlThroughput.Cases(scale))
            yield return @case;
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        var @case = CaseName(Many);
        yield return Promise.Ratio(
            "256 in flight on SQLite: at least 15 × the same store with one commit a job", measured[Sqlite, @case, Rate], measured[OneCommit, @case, Rate], Relation.AtLeast, 15);
        yield return Promise.Ratio(
            "256 in flight on SQLite: at least 10 × Hangfire on SQLite with the best settings", measured[Sqlite, @case, Rate], measured[HangfireSqlite, @case, Rate], Relation.AtLeast, 10);
        yield return Promise.Ratio(
            $"256 in flight on SQLite with limits on: at least 0.95 × {WithoutLimits}", measured[Limits, @case, Rate], measured[WithoutLimits, @case, Rate], Relation.AtLeast, 0.95);
        foreach (var promise in PostgreSqlThroughput.Promises(measured, scale))
            yield return promise;
    }

    private static string CaseName(int inFlight) => FormattableString.Invariant($"{inFlight} in flight");

    private static string[] Names(Scale scale, int inFlight) =>
    [
        Sqlite, SqliteDefaults, Isolated, Memory,
        .. inFlight == Many ? new[] { OneCommit } : [],
        .. WithLimits,
        HangfireSqlite,
        .. scale == Scale.Full ? new[] { HangfireSqliteDefaults } : [],
        HangfireMemory, HangfireMemoryDefaults,
    ];

    // One commit a job cannot be requested: with one in flight no commit has writes of two jobs. A job has the same two writes, its start and its end, in both.
    private static HostedContender Contender(SharedProcesses shared, Scale scale, string name, int inFlight)
    {
        var what = name switch
        {
            Isolated => "isolated",
            Limits or Before => "limited",
            _ => "inline",
        };
        var seconds = scale.Pick(0.05, inFlight == Many && Promised.Contains(name) ? 0.6 : 0.3, 5.0);
        return new HostedContender(name, Launch(name))
        {
            Shared = shared,
            Request = Request(seconds),
            WarmUpRequest = Request(scale.Pick(0.02, 0.3, 2)),
            Question = new ControlLine("answer").With("what", what),
            Expected = "41",
        };

        ControlLine Request(double time) => new ControlLine("run").With("what", what).With("seconds", time).With("inflight", name == OneCommit ? 1 : inFlight);
    }
}
