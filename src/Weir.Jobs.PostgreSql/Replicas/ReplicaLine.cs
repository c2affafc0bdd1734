using System.Globalization;
using Npgsql;
using Weir.Jobs.PostgreSql.Connections;

namespace Weir.Jobs.PostgreSql.Replicas;

/// <summary>
/// One connection of the loop, which perhaps listens. An operation that the server does not answer in time is left behind: it ends, and the connection with it, when it can. Used by one flow.
/// </summary>
/// <param name="database">Where it leads.</param>
/// <param name="time">The clock.</param>
internal sealed class ReplicaLine(Database database, TimeProvider time)
{
    // What came while the loop did something else. More is looked up.
    private const int MostHeard = 1_000;

    // For an operation to notice that it was cancelled, before it is left behind.
    private static readonly TimeSpan Grace = TimeSpan.FromMilliseconds(100);

    private readonly NpgsqlConnection _connection = database.Create();

    // At most so many.
    private readonly Queue<string> _heard = [];
    private Task _running = Task.CompletedTask;

    /// <summary>Whether notifications come through it.</summary>
    public bool Listens { get; private set; }

    /// <summary>Whether more came than it kept.</summary>
    public bool HasMissed { get; set; }

    /// <summary>Opens it.</summary>
    public Task OpenAsync(TimeSpan limit, CancellationToken stop) => RunAsync(static (connection, token) => connection.OpenAsync(token), limit, stop);

    /// <summary>Begins to listen.</summary>
    public async Task ListenAsync(TimeSpan limit, CancellationToken stop)
    {
        _connection.Notification += (_, news) => Hear(news.Payload);
        await RunAsync(
            async (connection, token) =>
            {
                await using var command = new NpgsqlCommand($"LISTEN {database.Schema}", connection);
                await command.ExecuteNonQueryAsync(token);
            },
            limit,
            stop);
        Listens = true;
    }

    /// <summary>Asks something of the server.</summary>
    /// <param name="what">The question.</param>
    /// <param name="limit">How long the answer may take.</param>
    /// <param name="stop">Ends the wait at once.</param>
    /// <exception cref="TimeoutException">There was no answer.</exception>
    public async Task<T> AskAsync<T>(Func<NpgsqlConnection, CancellationToken, Task<T>> what, TimeSpan limit, CancellationToken stop)
    {
        var answer = default(T);
        await RunAsync(async (connection, token) => answer = await what(connection, token), limit, stop);
        return answer!;
    }

    /// <summary>Waits for notifications. Where it does not listen, for the time.</summary>
    /// <param name="longest">How long.</param>
    /// <param name="stop">Ends the wait: the connection stays usable.</param>
    public async Task WaitAsync(TimeSpan longest, CancellationToken stop)
    {
        if (_heard.Count > 0 || HasMissed || longest <= TimeSpan.Zero)
        {
            return;
        }

        // Not less than a millisecond: zero is without end.
        var wait = TimeSpan.FromMilliseconds(Math.Max(1, Math.Ceiling(longest.TotalMilliseconds)));
        try
        {
            await (Listens ? _connection.WaitAsync(wait, stop) : Task.Delay(wait, time, stop));
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
        }
    }

    /// <summary>The next notification that came.</summary>
    public bool TryHear(out string payload) => _heard.TryDequeue(out payload!);

    /// <summary>It is not used any more. Does not wait for a server that does not answer.</summary>
    public void End() => _ = EndAsync();

    private async Task RunAsync(Func<NpgsqlConnection, CancellationToken, Task> what, TimeSpan limit, CancellationToken stop)
    {
        var limited = CancellationTokenSource.CreateLinkedTokenSource(stop);
        limited.CancelAfter(limit);
        _running = what(_connection, limited.Token);
        try
        {
            await _running.WaitAsync(limit + Grace, stop);
            limited.Dispose();
        }
        catch (Exception error)
        {
            // Not here: it may ask the server to cancel, and wait for that.
            _ = limited.CancelAsync();
            if (error is OperationCanceledException && !stop.IsCancellationRequested)
            {
                throw new TimeoutException(string.Create(CultureInfo.InvariantCulture, $"The server did not answer within {limit.TotalSeconds:0.#} s."), error);
            }

            throw;
        }
    }

    private void Hear(string payload)
    {
        if (_heard.Count < MostHeard)
        {
            _heard.Enqueue(payload);
        }
        else
        {
            HasMissed = true;
        }
    }

    private async Task EndAsync()
    {
        try
        {
            await _running.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ForceYielding);
            await _connection.DisposeAsync();
        }
        catch (Exception)
        {
            // It was broken before.
        }
    }
}
