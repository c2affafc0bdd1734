using Npgsql;

namespace Weir.Jobs.PostgreSql.Connections;

/// <summary>Statements that are sent together, with what reads the rows of each. One flow.</summary>
internal sealed class Pipeline(NpgsqlConnection connection)
{
    // Of one trip; what is stored in a commit bounds them.
    private readonly List<Action<NpgsqlDataReader>> _rows = [];
    private NpgsqlBatch? _batch;

    /// <summary>A statement without rows.</summary>
    public NpgsqlBatchCommand Add(string sql) => (_batch ??= new NpgsqlBatch(connection)).Add(sql);

    /// <summary>A statement with rows.</summary>
    /// <param name="sql">A query, or a statement with RETURNING.</param>
    /// <param name="row">Reads a row. It is called for each.</param>
    public NpgsqlBatchCommand Query(string sql, Action<NpgsqlDataReader> row)
    {
        _rows.Add(row);
        return Add(sql);
    }

    /// <summary>Sends everything in one trip, and reads the rows. Without statements there is none.</summary>
    public async Task SendAsync(CancellationToken cancellationToken)
    {
        if (_batch is null)
        {
            return;
        }

        await using var batch = _batch;
        _batch = null;
        await using var reader = await batch.ExecuteReaderAsync(cancellationToken);
        var hasRows = reader.FieldCount > 0;
        foreach (var row in _rows)
        {
            while (await reader.ReadAsync(cancellationToken))
            {
                row(reader);
            }

            hasRows = await reader.NextResultAsync(cancellationToken);
        }

        _rows.Clear();

        // An error of a statement behind the last one with rows is thrown here.
        while (hasRows)
        {
            hasRows = await reader.NextResultAsync(cancellationToken);
        }
    }
}
