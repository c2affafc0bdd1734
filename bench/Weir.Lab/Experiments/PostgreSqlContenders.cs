using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>The names of contenders that keep jobs in PostgreSQL, and how they are started. Each has a database of its own in the server of the experiment.</summary>
internal static class PostgreSqlContenders
{
    public const string PostgreSql = "weir PostgreSQL";
    public const string PostgreSqlDefaults = "weir PostgreSQL, defaults";
    public const string PostgreSqlIsolated = "weir PostgreSQL, isolated";
    public const string PostgreSqlMany = "weir PostgreSQL, many run";
    public const string PostgreSqlManyLimits = "weir PostgreSQL, many run, limits on";
    public const string PostgreSqlOneCommit = "one commit a job, PostgreSQL";
    public const string HangfirePostgreSql = "Hangfire PostgreSQL";
    public const string HangfirePostgreSqlDefaults = "Hangfire PostgreSQL, defaults";
    public const string Graphile = "graphile-worker";
    public const string GraphileDefaults = "graphile-worker, defaults";
    public const string GraphileBatched = "graphile-worker, batched";
    public const string PgBoss = "pg-boss";
    public const string PgBossDefaults = "pg-boss, defaults";

    /// <summary>What a quick run says of PostgreSQL where it leaves it out.</summary>
    public const string LeftOut = "PostgreSQL, whose server and peers take longer to start than what is measured of them";

    /// <summary>Of <see cref="PostgreSqlMany"/>, as many jobs as the processes of a large deployment run.</summary>
    public const int Running = 4_096;

    private const int Jobs = 50;

    private static readonly string Pauses = FormattableString.Invariant($"pauses={Running}");

    /// <summary>Those that run no .NET.</summary>
    private static readonly Dictionary<string, string[]> OfNode = new()
    {
        // Its authors measure with 24 a process.
        [Graphile] = ["graphile", "concurrency=24"],
        [GraphileDefaults] = ["graphile"],
        [GraphileBatched] = ["graphile-batched", "concurrency=24", "queue=500"],
        [PgBoss] = ["pg-boss", "concurrency=4", "batch=64", "poll=5"],
        [PgBossDefaults] = ["pg-boss"],
    };

    /// <summary>How a contender is started on a server. Further settings are of the program's kind.</summary>
    public static ProgramLaunch Launch(string contender, PostgreSqlServer server, params string[] settings) => contender switch
    {
        _ when OfNode.TryGetValue(contender, out var words) =>
            new ProgramLaunch("node", [Path.Combine(Peers.Scripts, "node", "jobs.mjs"), .. words, $"host={server.Folder}", $"database={Database(contender)}", .. settings]),

        // Each submitter blocks a thread and a connection: with as many as Npgsql and the runtime have by default 64 submitters time out. It wakes its workers in its process by itself.
        HangfirePostgreSql => ProgramLaunch.OfNetPeers("hangfire", ["store=postgresql", $"{Connection(contender, server)};Maximum Pool Size=300", "threads=400", "workers=20", .. settings]),
        HangfirePostgreSqlDefaults => ProgramLaunch.OfNetPeers("hangfire", ["store=postgresql", $"{Connection(contender, server)};Maximum Pool Size=300", "threads=400", .. settings]),
        PostgreSqlDefaults or PostgreSqlIsolated => ProgramLaunch.OfJobs(["store=postgresql", Connection(contender, server), .. settings]),
        PostgreSqlMany => ProgramLaunch.OfJobs(["store=postgresql", Pauses, Connection(contender, server), .. settings]),
        PostgreSqlManyLimits => ProgramLaunch.OfJobs(["store=postgresql", Pauses, "limits=yes", Connection(contender, server), .. settings]),
        _ => ProgramLaunch.OfJobs(["store=postgresql", "best=yes", Connection(contender, server), .. settings]),
    };

    /// <summary>The setting by which an application on .NET finds the database of a contender.</summary>
    public static string Connection(string contender, PostgreSqlServer server) => $"connection={server.Connection(Database(contender))}";

    /// <summary>What must be there for a contender.</summary>
    public static Availability Needs(string contender) =>
        PostgreSqlServer.Availability is not Availability.Ready || !OfNode.TryGetValue(contender, out var words) ? PostgreSqlServer.Availability
        : words[0] switch
        {
            "graphile" => Peers.NodePackage("graphile-worker"),
            "graphile-batched" => Peers.NodePackage("graphile-worker-batched"),
            _ => Peers.NodePackage("pg-boss"),
        };

    /// <summary>Makes the database of a contender.</summary>
    public static Func<CancellationToken, Task<IAsyncDisposable?>> Making(string contender, PostgreSqlServer server) => async cancellation =>
    {
        await server.CreateAsync(Database(contender), cancellation);
        return null;
    };

    /// <summary>The name of a contender's database.</summary>
    public static string Database(string contender) => string.Concat(contender.ToLowerInvariant().Select(static letter => char.IsAsciiLetterLower(letter) ? letter : '_'));

    /// <summary>Many jobs at once, each of which has to run once: asked before anything is timed.</summary>
    public static ControlLine Question(string contender) => new ControlLine("answer").With("what", contender == PostgreSqlIsolated ? "each isolated" : "each inline").With("count", Jobs);

    /// <summary>The right answer to <see cref="Question"/>.</summary>
    public static string Answer => FormattableString.Invariant($"{Jobs} jobs, {Jobs} runs, {Jobs} results");
}
