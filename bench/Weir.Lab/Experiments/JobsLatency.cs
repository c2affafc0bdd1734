using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;
using static Weir.Lab.Experiments.JobContenders;

namespace Weir.Lab.Experiments;

/// <summary>How soon a job begins that meets nothing else.</summary>
internal sealed class JobsLatency : Experiment
{
    private const string Idle = "an idle system";
    private const string Accepted = "accepted p50";
    private const int Syncs = 4;
    private const double Milliseconds = 2;

    public override string Name => "jobs-latency";

    public override string Question => "From the submission of a job to the first instruction of its code, in an idle application: p50 and p99, beside a sync in the store's directory.";

    public override string? Document => null;

    public override string? QuickLeavesOut => $"Hangfire with its defaults on SQLite, which asks for jobs every 15 s; {PostgreSqlContenders.LeftOut}";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(20, 7, 245));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        var request = new ControlLine("run").With("what", "latency").With("count", scale.Pick(5, 100, 500)).With("pause", 5);
        string[] names = [Sqlite, Memory, .. WithLimits, HangfireSqlite, HangfireMemory];
        var limited = request.Copy().With("what", "limited-latency");
        var @case = new Case(Idle, [.. names.Select(name => new HostedContender(name, Launch(name)) { Request = name is Limits or Before ? limited : request })])
        {
            Rounds = scale.Pick(1, 1, 5),
        };
        foreach (var part in scale == Scale.Tiny ? [@case] : @case.Deciding(scale, [Sqlite, .. WithLimits]))
            yield return part;
        if (scale == Scale.Full)
        {
            yield return new Case(Idle, [new HostedContender(HangfireSqliteDefaults, Launch(HangfireSqliteDefaults)) { Request = request.Copy().With("count", 4) }])
            {
                Rounds = 1,
                WarmUp = false,
            };
        }

        foreach (var one in PostgreSqlThroughput.IdleCases(scale))
            yield return one;
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        yield return Promise.Latency(
            FormattableString.Invariant($"on SQLite half of the jobs begin within {Syncs} syncs and {Milliseconds} ms"), measured[Sqlite, Idle, "p50 less 4 syncs"], Milliseconds);
        yield return Promise.Ratio(
            $"a job is accepted with limits on in at most 1 / 0.95 of the time of {WithoutLimits}", measured[Limits, Idle, Accepted], measured[WithoutLimits, Idle, Accepted], Relation.AtMost, 1 / 0.95);
        foreach (var promise in PostgreSqlThroughput.IdlePromises(measured, scale))
            yield return promise;
    }
}
