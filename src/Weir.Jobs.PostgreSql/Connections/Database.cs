using System.Data.Common;
using Npgsql;

namespace Weir.Jobs.PostgreSql.Connections;

/// <summary>Connections to one database, and the name of the schema in which jobs are. Any thread.</summary>
internal sealed class Database : IAsyncDisposable
{
    // As many as there are statements, with those that Npgsql knows by the number of their parameters alone.
    private const int MostPrepared = 200;

    private readonly NpgsqlConnectionStringBuilder _settings;
    private NpgsqlDataSource _source;

    // A session plans each statement several times, and keeps what it has read of tables: all commits, of which one is on its way at a time, go through one. A pool would hand out all its sessions in turn.
    private NpgsqlDataSource _writing;

    /// <param name="connectionString">As an application has it.</param>
    /// <param name="schema">The name of the schema.</param>
    public Database(string connectionString, string schema)
    {
        _settings = new NpgsqlConnectionStringBuilder(connectionString);
        _settings.ApplicationName ??= "weir-jobs";

        // What a pooler in transaction mode does not keep between transactions is not used: sessions have no state to reset, and nothing is prepared by name until it is known that there is no pooler.
        (_settings.NoResetOnClose, _settings.Enlist, _settings.LogParameters) = (true, false, false);
        (_source, _writing) = (Build(_settings), BuildOne(_settings));
        (ConnectionString, SchemaName, Schema) = (connectionString, schema, $"\"{schema}\"");
        Place = $"{_settings.Host}:{_settings.Port}, database '{_settings.Database ?? _settings.Username}'";
    }

    /// <summary>Whether a connection string can be used at all.</summary>
    /// <exception cref="ArgumentException">It is none of Npgsql, or names no host.</exception>
    public static void Check(string connectionString, string parameter)
    {
        try
        {
            if (new NpgsqlConnectionStringBuilder(connectionString).Host is null or "")
            {
                throw new ArgumentException("The connection string names no server: add Host=….", parameter);
            }
        }
        catch (Exception error) when (error is FormatException or KeyNotFoundException || (error is ArgumentException && error.InnerException is null && !error.Message.StartsWith("The connection string names", StringComparison.Ordinal)))
        {
            throw new ArgumentException($"The connection string is none of Npgsql: {error.Message}", parameter, error);
        }
    }

    /// <summary>As the application has it, with its secrets.</summary>
    public string ConnectionString { get; }

    /// <summary>The schema as it is written in a statement.</summary>
    public string Schema { get; }

    /// <summary>The name of the schema: also of the channel.</summary>
    public string SchemaName { get; }

    /// <summary>Host, port and database, without secrets: for messages.</summary>
    public string Place { get; }

    /// <summary>A connection of the pool.</summary>
    public ValueTask<NpgsqlConnection> OpenAsync(CancellationToken cancellationToken) => _source.OpenConnectionAsync(cancellationToken);

    /// <summary>The connection for commits; it waits while one is on its way.</summary>
    public ValueTask<NpgsqlConnection> OpenToWriteAsync(CancellationToken cancellationToken) => _writing.OpenConnectionAsync(cancellationToken);

    /// <summary>A connection, which was not opened.</summary>
    public NpgsqlConnection Create() => _source.CreateConnection();

    /// <summary>
    /// Opens the first connection. Where it leads to the server itself, statements are prepared from now on, which takes the time of their plans from each commit; not behind a pooler, which gives each transaction another session. An application
    /// that says <c>Max Auto Prepare</c> in its connection string decides that itself. Before other threads use it.
    /// </summary>
    public async Task<NpgsqlConnection> BeginAsync(CancellationToken cancellationToken)
    {
        var connection = await OpenAsync(cancellationToken);
        if (_settings.MaxAutoPrepare > 0 || SaysHowManyArePrepared(ConnectionString) || !await IsDirectAsync(connection, cancellationToken))
        {
            return connection;
        }

        await connection.DisposeAsync();
        await DisposeAsync();
        _settings.MaxAutoPrepare = MostPrepared;
        _settings.AutoPrepareMinUsages = 2;
        (_source, _writing) = (Build(_settings), BuildOne(_settings));
        return await OpenAsync(cancellationToken);
    }

    public async ValueTask DisposeAsync()
    {
        await _source.DisposeAsync();
        await _writing.DisposeAsync();
    }

    private static NpgsqlDataSource BuildOne(NpgsqlConnectionStringBuilder settings) => Build(new NpgsqlConnectionStringBuilder(settings.ConnectionString) { MinPoolSize = 0, MaxPoolSize = 1 });

    private static NpgsqlDataSource Build(NpgsqlConnectionStringBuilder settings)
    {
        var builder = new NpgsqlSlimDataSourceBuilder(settings.ConnectionString);
        builder.EnableArrays();
        builder.EnableTransportSecurity();
        builder.EnableIntegratedSecurity();
        return builder.Build();
    }

    private static bool SaysHowManyArePrepared(string connectionString) =>
        new DbConnectionStringBuilder { ConnectionString = connectionString }.Keys.Cast<string>().Any(static key => key.Replace(" ", "", StringComparison.Ordinal).Equals("MaxAutoPrepare", StringComparison.OrdinalIgnoreCase));

    // A pooler tells its clients numbers of its own, by which they cancel.
    private static async Task<bool> IsDirectAsync(NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        await using var command = new NpgsqlCommand("SELECT pg_backend_pid()", connection);
        return await command.ExecuteScalarAsync(cancellationToken) is int session && session == connection.ProcessID;
    }
}
