using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;
using static Weir.Lab.Experiments.PostgreSqlContenders;

namespace Weir.Lab.Experiments;

/// <summary>The part of <see cref="JobsRecover"/> on PostgreSQL: what waits starts at once, and what the killed process ran is known to be lost when its lease is over.</summary>
internal static class JobLeases
{
    private const string First = "first job";
    private const string Lost = "lost known after";

    // Beyond the lease: until the next look of a process that lives, and the commit.
    private const int Beyond = 12;

    public static IEnumerable<Case> Cases(Scale scale)
    {
        if (scale == Scale.Quick)
            yield break;

        var server = new PostgreSqlServer();
        foreach (var keys in new[] { 1, Count(scale) })
        {
            yield return new Case(CaseName(scale, keys), [new RecoveringContender(server, scale, keys)])
            {
                Rounds = keys == 1 ? scale.Pick(1, 1, 2) : scale.Pick(1, 3, 5),
                WarmUp = false,
                Patience = TimeSpan.FromMinutes(15),
                Shared = server,
            };
        }
    }

    public static IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        if (scale == Scale.Quick)
            yield break;

        foreach (var keys in new[] { 1, Count(scale) })
        {
            var name = CaseName(scale, keys);
            yield return Promise.Latency($"{name}: a job starts at most 1 s after its host", measured[PostgreSql, name, First], 1_000);
        }

        var lost = CaseName(scale, 1);
        yield return Promise.Count("jobs ran in the process that was killed", measured[PostgreSql, lost, "ran when it was killed"], Relation.AtLeast, 1);
        yield return Promise.Latency(
            FormattableString.Invariant($"jobs of a killed process are known to be lost at most {Beyond} s after its lease of {Lease(scale)} s"), measured[PostgreSql, lost, Lost], (Lease(scale) + Beyond) * 1_000);
    }

    private static int Count(Scale scale) => scale.Pick(1_000, 100_000, 1_000_000);

    // In seconds: the default.
    private static int Lease(Scale scale) => scale.Pick(2, 60, 60);

    private static string CaseName(Scale scale, int keys) => FormattableString.Invariant($"PostgreSQL, {Count(scale):N0} jobs of {keys:N0} {(keys == 1 ? "key" : "keys")}");

    // As on SQLite, and the jobs of one key are also looked at until those of the killed process have failed: they are not idempotent, so they are not repeated.
    private sealed class RecoveringContender(PostgreSqlServer server, Scale scale, int keys) : Contender(PostgreSql)
    {
        // A database for each: with one key, or with a key for each job.
        private readonly string _database = $"{Database(PostgreSql)}_{(keys == 1 ? "key" : "keys")}";
        private string? _runtime;

        public override Availability Availability => Needs(PostgreSql);

        public override string? Runtime => _runtime;

        public override bool WarmsUp => false;

        private bool IsPatient => keys == 1;

        public override async Task PrepareAsync(CancellationToken cancellation)
        {
            await server.CreateAsync(_database, cancellation);
            await using var process = await StartAsync("run=no", cancellation);
            _runtime = process.Runtime;
            await process.RunAsync(new ControlLine("fill").With("count", Count(scale)).With("keys", keys), cancellation);
            process.Kill();
        }

        public override async Task<Round> RunAsync(CancellationToken cancellation)
        {
            // 1. A process that runs jobs is killed.
            var (killed, ran, failed) = (0L, 0, 0);
            await using (var victim = await StartAsync("run=yes", cancellation))
            {
                await victim.AskAsync(new ControlLine("first"), cancellation);
                var now = await victim.AskAsync(new ControlLine("running"), cancellation);
                (ran, failed) = (now.Int("count"), now.Int("failed"));
                victim.Kill();
                killed = Clock.Now;
            }

            // 2. The next one begins with others, and finds what is lost.
            await using var process = await StartAsync("run=yes", cancellation);
            var round = new Round().Add(First, (await process.AskAsync(new ControlLine("first"), cancellation)).Number("ms"), "ms");
            if (IsPatient)
            {
                // Those of earlier rounds are among the running ones, or have failed.
                var at = (long)(await process.AskAsync(new ControlLine("lost").With("count", ran + failed), cancellation)).Number("at");
                round.Add(Lost, Clock.MillisecondsBetween(killed, at), "ms").Add("ran when it was killed", ran, "");
            }

            process.Kill();
            return round;
        }

        private Task<ContenderProcess> StartAsync(string run, CancellationToken cancellation) => ContenderProcess.StartAsync(
            ProgramLaunch.OfJobs("store=postgresql", $"connection={server.Connection(_database)}", FormattableString.Invariant($"lease={Lease(scale)}"), run), cancellation);
    }
}
