using System.Collections.Concurrent;
using System.Globalization;
using Npgsql;
using Weir.Jobs.PostgreSql.Tests.Servers;

[assembly: AssemblyFixture(typeof(PostgreSqlServer))]

namespace Weir.Jobs.PostgreSql.Tests.Servers;

/// <summary>A PostgreSQL server of its own for all tests, from Debian's package: it listens on 127.0.0.1 and on a socket in its folder, and ends with this process however that ends.</summary>
public sealed class PostgreSqlServer : IAsyncLifetime
{
    private static readonly string[] Tables = ["job", "done_short", "done_long", "attempt", "item", "key", "schedule", "kind", "replica", "commit"];

    // As many as tests that run at once.
    private readonly ConcurrentBag<string> _free = [];
    private readonly ServerProcess _process;
    private int _schemas;

    public PostgreSqlServer() => _process = new ServerProcess("", []);

    public int Port => _process.Port;

    public string Folder => _process.Folder;

    /// <summary>Of the server's one database, as its superuser.</summary>
    public string ConnectionString => _process.ConnectionString;

    public async ValueTask InitializeAsync() => await _process.StartAsync();

    public async ValueTask DisposeAsync() => await _process.DisposeAsync();

    /// <summary>The name of a schema that no other test uses. It is made by the store that opens it.</summary>
    public string NewSchema() => string.Create(CultureInfo.InvariantCulture, $"t{Interlocked.Increment(ref _schemas)}");

    /// <summary>The name of a schema that is empty: one that another test has given back, because it takes a second to make its tables.</summary>
    public string TakeSchema() => _free.TryTake(out var schema) ? schema : NewSchema();

    /// <summary>Empties a schema, and lets another test have it.</summary>
    public async Task GiveBackAsync(string schema)
    {
        await ExecuteAsync(string.Concat(Tables.Select(table => $"DELETE FROM {schema}.{table};")));
        _free.Add(schema);
    }

    /// <summary>Ends all connections to the server but the one that asks.</summary>
    public async Task TerminateAsync(string where = "true") =>
        await ExecuteAsync($"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend' AND {where}");

    public async Task ExecuteAsync(string sql)
    {
        await using var connection = new NpgsqlConnection(ConnectionString);
        await connection.OpenAsync();
        await using var command = new NpgsqlCommand(sql, connection);
        await command.ExecuteNonQueryAsync();
    }

    public async Task<object?> QueryAsync(string sql)
    {
        await using var connection = new NpgsqlConnection(ConnectionString);
        await connection.OpenAsync();
        await using var command = new NpgsqlCommand(sql, connection);
        return await command.ExecuteScalarAsync();
    }
}
