using Npgsql;

namespace Weir.Jobs.PostgreSql.Connections;

/// <summary>
/// A row that each commit of this process writes: by it, this process finds out whether a commit has happened whose answer it did not get.
/// </summary>
/// <param name="database">The database.</param>
/// <param name="owner">This process.</param>
/// <param name="time">Measures the pauses between questions.</param>
internal sealed class Marker(Database database, Guid owner, TimeProvider time)
{
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(1);

    private readonly string _add = $"INSERT INTO {database.Schema}.commit (replica, number, given_up) VALUES ($1, $2, false)";
    private readonly string _delete = $"DELETE FROM {database.Schema}.commit WHERE replica = $1 AND number = $2";
    private readonly string _giveUp = $"INSERT INTO {database.Schema}.commit (replica, number, given_up) VALUES ($1, $2, true) ON CONFLICT DO NOTHING";
    private readonly string _find = $"SELECT given_up FROM {database.Schema}.commit WHERE replica = $1 AND number = $2";
    private long _number;
    private long _last;

    /// <summary>Adds the row of a commit, and deletes the one before.</summary>
    public void Write(Pipeline pipeline)
    {
        pipeline.Add(_add).With(owner).With(++_number);
        if (_last != 0)
        {
            pipeline.Add(_delete).With(owner).With(_last);
        }
    }

    /// <summary>The commit has happened.</summary>
    public void Committed() => _last = _number;

    /// <summary>
    /// Waits until the database answers whether the last commit has happened. If it has not, it never does: the row is taken. A transaction that still runs is waited for.
    /// </summary>
    /// <param name="read">Adds statements that read what the answer would have had.</param>
    /// <param name="cancellationToken">The store is closed.</param>
    /// <exception cref="OperationCanceledException">The store is closed.</exception>
    public async Task<bool> ResolveAsync(Action<Pipeline> read, CancellationToken cancellationToken)
    {
        for (var pause = FirstPause; ; pause = pause * 2 < LongestPause ? pause * 2 : LongestPause)
        {
            await Task.Delay(pause, time, cancellationToken);
            try
            {
                await using var connection = await database.OpenAsync(cancellationToken);
                var (pipeline, isGivenUp) = (new Pipeline(connection), false);
                pipeline.Add("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE");
                pipeline.Add(_giveUp).With(owner).With(_number);
                pipeline.Query(_find, row => isGivenUp = row.GetBoolean(0)).With(owner).With(_number);
                read(pipeline);
                pipeline.Add("COMMIT");
                await pipeline.SendAsync(cancellationToken);
                _last = _number;
                return !isGivenUp;
            }
            catch (Exception error) when (error is NpgsqlException or IOException or TimeoutException or System.Net.Sockets.SocketException)
            {
                // It does not answer yet. A row that was written all the same says that this process gave up: it is found in the next round.
                if (cancellationToken.IsCancellationRequested)
                {
                    throw new OperationCanceledException("The store is closed.", error, cancellationToken);
                }
            }
        }
    }

    /// <summary>Deletes the row of the last commit: nothing more comes.</summary>
    public async Task DeleteAsync(CancellationToken cancellationToken)
    {
        await using var connection = await database.OpenAsync(cancellationToken);
        var pipeline = new Pipeline(connection);
        pipeline.Add($"DELETE FROM {database.Schema}.commit WHERE replica = $1").With(owner);
        await pipeline.SendAsync(cancellationToken);
    }
}
