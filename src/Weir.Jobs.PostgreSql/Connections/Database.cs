using Npgsql;

namespace Weir.Jobs.PostgreSql.Connections;

/// <summary>Connections to one database, and the name of the schema in which jobs are. Any thread.</summary>
internal sealed class Database : IAsyncDisposable
{
    private readonly NpgsqlDataSource _source;

    /// <param name="connectionString">As an application has it.</param>
    /// <param name="schema">The name of the schema.</param>
    public Database(string connectionString, string schema)
    {
        var settings = new NpgsqlConnectionStringBuilder(connectionString);
        settings.ApplicationName ??= "weir-jobs";

        // What a pooler in transaction mode does not keep between transactions is not used: nothing is prepared by name, and sessions have no state to reset.
        (settings.MaxAutoPrepare, settings.NoResetOnClose, settings.Enlist, settings.LogParameters) = (0, true, false, false);
        var builder = new NpgsqlSlimDataSourceBuilder(settings.ConnectionString);
        builder.EnableArrays();
        builder.EnableTransportSecurity();
        builder.EnableIntegratedSecurity();
        _source = builder.Build();
        (ConnectionString, SchemaName, Schema) = (connectionString, schema, $"\"{schema}\"");
        Place = $"{settings.Host}:{settings.Port}, database '{settings.Database ?? settings.Username}'";
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

    /// <summary>A connection, which was not opened.</summary>
    public NpgsqlConnection Create() => _source.CreateConnection();

    public ValueTask DisposeAsync() => _source.DisposeAsync();
}
