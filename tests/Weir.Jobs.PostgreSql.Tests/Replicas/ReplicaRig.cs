using System.Collections.Concurrent;
using System.Globalization;
using Microsoft.Extensions.Logging;
using Npgsql;
using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Replicas;
using Weir.Jobs.PostgreSql.Rows;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Tests.Replicas;

/// <summary>Several processes, without a store, over one schema of its own. Jobs are rows that the test writes.</summary>
internal sealed class ReplicaRig : IAsyncDisposable
{
    private readonly string _connectionString;
    private readonly List<Member> _members = [];
    private readonly List<Database> _databases = [];
    private long _seq;

    private ReplicaRig(string connectionString, string schema)
    {
        _connectionString = connectionString;
        Database = new Database(connectionString, schema);
        Table = new ReplicaTable(Database);
    }

    public Database Database { get; }

    public ReplicaTable Table { get; }

    public static async Task<ReplicaRig> StartAsync(string connectionString, string schema)
    {
        var rig = new ReplicaRig(connectionString, schema);
        await using var connection = await rig.Database.OpenAsync(default);
        await SchemaScripts.PrepareAsync(rig.Database, connection, default);
        return rig;
    }

    /// <summary>Starts a process that runs kinds, and listens to it.</summary>
    public async Task<Member> JoinAsync(double lease, string? connectionString = null, string? listen = null, params (string Kind, ulong Signature)[] kinds)
    {
        connectionString ??= _connectionString + $";Application Name={Database.SchemaName}";
        var database = new Database(connectionString, Database.SchemaName);
        _databases.Add(database);
        var log = new ListLogger();
        var loop = new ReplicaLoop(database, listen, TimeSpan.FromSeconds(lease), TimeProvider.System, log);
        var recorder = new Recorder();
        await loop.OpenAsync(new JobReplica(Guid.NewGuid(), Kinds(kinds)), TestContext.Current.CancellationToken);
        loop.Listen(recorder);
        var member = new Member(loop, recorder, log);
        _members.Add(member);

        // From then on it hears what is said: it looks after it has begun to listen.
        await Recorder.UntilAsync(() => recorder.Pauses.Count > 0, "the first look");
        return member;
    }

    private static ReplicaKind[] Kinds((string Kind, ulong Signature)[] kinds) => [.. kinds.Select(static kind => new ReplicaKind(kind.Kind, kind.Signature))];

    /// <summary>A process that has registered, and is gone.</summary>
    public async Task<Guid> GoneAsync(params (string Kind, ulong Signature)[] kinds)
    {
        var id = Guid.NewGuid();
        await using var connection = await Database.OpenAsync(default);
        await Table.RegisterAsync(connection, id, "gone", Kinds(kinds), default);
        return id;
    }

    /// <summary>What a commit of another process says.</summary>
    public async Task SayAsync(Guid sender, ReplicaNews news)
    {
        await using var connection = await Database.OpenAsync(default);
        await Table.NotifyAsync(connection, NewsPayload.Encode(sender, news), default);
    }

    /// <summary>Writes the row of a job.</summary>
    public async Task<Guid> JobAsync(string kind, JobState state, Guid? replica = null, JobStop stop = default, long due = 0, long expires = 0, long fence = 1)
    {
        var id = Guid.NewGuid();
        await using var connection = await Database.OpenAsync(default);
        await using var command = new NpgsqlCommand(
            $"""
            INSERT INTO {Database.Schema}.job (id, seq, signature, ready, due, first_due, expires, fence, not_understood, submitted, started, ended, items, fingerprint, run, attempts, starts, failures, crashes, losses, retries,
              refusals, first_day, state, priority, reason, stop, unique_until, open, watched, replica, kind, key, arguments)
            VALUES ('{id}', {Interlocked.Increment(ref _seq)}, 1, 1, {due}, 0, {expires}, {fence}, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, '2026-01-01', {(int)state}, 0, 0, {(int)stop}, 0, false, false, {(replica is { } owner ? $"'{owner}'" : "NULL")}, '{kind}', '', '')
            """,
            connection);
        await command.ExecuteNonQueryAsync();
        return id;
    }

    public async Task ExecuteAsync(string sql)
    {
        await using var connection = await Database.OpenAsync(default);
        await using var command = new NpgsqlCommand(sql.Replace("weir_jobs.", Database.Schema + ".", StringComparison.Ordinal), connection);
        await command.ExecuteNonQueryAsync();
    }

    public async Task<long> CountAsync(string what)
    {
        await using var connection = await Database.OpenAsync(default);
        await using var command = new NpgsqlCommand($"SELECT count(*) FROM {Database.Schema}.{what}", connection);
        return Convert.ToInt64(await command.ExecuteScalarAsync(), CultureInfo.InvariantCulture);
    }

    public async Task UntilCountAsync(long expected, string what)
    {
        while (await CountAsync(what) != expected)
        {
            await Task.Delay(20, TestContext.Current.CancellationToken);
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var member in _members)
        {
            await member.Loop.DisposeAsync();
            Assert.False(member.Reports.HasOverlapped, "Two reports came at once.");
        }

        foreach (var database in _databases)
        {
            await database.DisposeAsync();
        }

        await Database.DisposeAsync();
    }

    /// <summary>One process.</summary>
    internal sealed record Member(ReplicaLoop Loop, Recorder Reports, ListLogger Log)
    {
        /// <summary>The signatures of a kind that others have.</summary>
        public long[] Foreign(string kind) => Loop.Foreign.GetValueOrDefault(kind, []);
    }

    internal sealed class ListLogger : ILogger
    {
        public ConcurrentQueue<(int Id, string Text)> Entries { get; } = [];

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            Entries.Enqueue((eventId.Id, formatter(state, exception)));
    }
}
