using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;
using static Weir.Lab.Experiments.JobContenders;
using static Weir.Lab.Experiments.PostgreSqlContenders;

namespace Weir.Lab.Experiments;

/// <summary>One job of a tenant, or of a kind, that comes behind a million of another.</summary>
internal sealed class JobsFair : Experiment
{
    private const string Tenants = "one tenant behind another";
    private const string Kinds = "one kind behind another";
    private const string Rounds = "rounds of slots";
    private const string Waiting = "waiting before it";
    private const int Most = 2;

    public override string Name => "jobs-fair";

    public override string Question =>
        "A million jobs of one tenant or kind wait (in a quick run 100,000), and one of another is submitted: how many rounds of slots start between its acceptance and its start? Hangfire with fewer.";

    public override string? Document => null;

    public override string? QuickLeavesOut => LeftOut;

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(25, 20, 640));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        foreach (var (what, @case) in new[] { ("tenants", Tenants), ("kinds", Kinds) })
        {
            yield return new Case(
                @case,
                [
                    new UnfairContender(Sqlite, what, "inline", Count(scale), scale),
                    new UnfairContender(Isolated, what, "isolated", Count(scale), scale),
                    new UnfairContender(Memory, what, "inline", Count(scale), scale),
                ])
            {
                Rounds = scale.Pick(1, 2, 5),
                WarmUp = false,
                Patience = TimeSpan.FromMinutes(5),
            };

            // It waits for the whole backlog, which is therefore as large as can be waited for.
            yield return new Case(
                @case,
                [
                    new UnfairContender(HangfireSqlite, what, "inline", scale.Pick(20, 200, 1_000), scale) { Drains = true },
                    new UnfairContender(HangfireMemory, what, "inline", scale.Pick(100, 2_000, 20_000), scale) { Drains = true },
                    .. what == "tenants" ? new[] { new UnfairContender(HangfireQueues, what, "inline", scale.Pick(100, 2_000, 20_000), scale) { Drains = true } } : [],
                ])
            {
                Rounds = 1,
                AtOnce = scale != Scale.Full,
                WarmUp = false,
                Patience = TimeSpan.FromMinutes(5),
            };
        }

        foreach (var @case in OnPostgreSql(scale))
            yield return @case;
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        foreach (var contender in new[] { Sqlite, Isolated, Memory }.Concat(scale == Scale.Quick ? [] : [PostgreSql, PostgreSqlIsolated]))
        {
            foreach (var @case in new[] { Tenants, Kinds })
            {
                yield return Promise.Count(FormattableString.Invariant($"{contender}, {@case}: at most {Most} rounds of slots start before it"), measured[contender, @case, Rounds], Relation.AtMost, Most);
                yield return Promise.Count($"{contender}, {@case}: the others still wait", measured[contender, @case, Waiting], Relation.AtLeast, Count(scale) / 2);
            }
        }
    }

    private static int Count(Scale scale) => scale.Pick(5_000, 100_000, 1_000_000);

    // Hangfire beside them shows what one queue for all does: on another store it is the same.
    private static IEnumerable<Case> OnPostgreSql(Scale scale)
    {
        if (scale == Scale.Quick)
            yield break;

        foreach (var (what, @case) in new[] { ("tenants", Tenants), ("kinds", Kinds) })
        {
            var server = new PostgreSqlServer();
            yield return new Case(
                @case,
                [
                    new UnfairContender(PostgreSql, what, "inline", Count(scale), scale) { Server = server },
                    new UnfairContender(PostgreSqlIsolated, what, "isolated", Count(scale), scale) { Server = server },
                ])
            {
                Rounds = scale.Pick(1, 2, 5),
                WarmUp = false,
                Patience = TimeSpan.FromMinutes(15),
                Shared = server,
            };
        }
    }

    // The backlog is there before the first round, and outlasts all of them; or every round has its own, which is gone at its end.
    private sealed class UnfairContender(string name, string what, string where, int backlog, Scale scale) : Contender(name)
    {
        private readonly SharedDirectory _directory = new();
        private ContenderProcess? _process;

        /// <summary>Whether the job waits for the whole backlog.</summary>
        public bool Drains { get; init; }

        /// <summary>Where its jobs are, or null for a file in its directory.</summary>
        public PostgreSqlServer? Server { get; init; }

        public override Availability Availability => Server is null ? Availability.Present : Needs(Name);

        public override string? Runtime => _process?.Runtime;

        public override async Task PrepareAsync(CancellationToken cancellation)
        {
            string[] settings = ["pool=fair", $"directory={_directory.Folder("store")}", $"witness={_directory.Folder("witness")}"];
            if (Server is not null)
                await Server.CreateAsync(Database(Name), cancellation);
            _process = await ContenderProcess.StartAsync(Server is null ? JobContenders.Launch(Name, settings) : PostgreSqlContenders.Launch(Name, Server, settings), cancellation);
            if (!Drains)
                await FillAsync(_process, cancellation);
        }

        public override async Task<Round> RunAsync(CancellationToken cancellation)
        {
            var process = _process ?? throw new InvalidOperationException($"{Name} was not prepared.");
            if (Drains)
                await FillAsync(process, cancellation);
            var request = Request("fair").With("probes", Drains ? 1 : scale.Pick(2, 10, 20)).With("pause", Drains ? 0 : 30).With("busy", Drains ? 0 : 500);
            return (await process.RunAsync(request, cancellation)).Add("backlog", backlog, "");
        }

        public override async ValueTask DisposeAsync()
        {
            // It would drain what it runs, and then delete what still waits.
            _process?.KillAll();
            if (_process is not null)
                await _process.DisposeAsync();
            await _directory.DisposeAsync();
            await base.DisposeAsync();
        }

        private Task<Round> FillAsync(ContenderProcess process, CancellationToken cancellation) => process.RunAsync(Request("fill-unfairly").With("count", backlog), cancellation);

        private ControlLine Request(string verb) => new ControlLine(verb).With("what", what).With("where", where);
    }
}
