using Npgsql;
using Weir.Jobs.PostgreSql.Connections;

namespace Weir.Jobs.PostgreSql.Replicas;

/// <summary>
/// Finds the connection that the loop uses: one that listens where that is possible, and another one else. A pooler in transaction mode takes LISTEN and passes nothing on, so that a notification is sent to find out. Used by one flow.
/// </summary>
/// <param name="database">Connections for all of it.</param>
/// <param name="listening">Connections to listen.</param>
/// <param name="table">Sends the notification.</param>
/// <param name="lease">The lease of this process, of which a search takes no more than a third.</param>
/// <param name="time">The clock.</param>
/// <param name="log">Hears once that this process does not listen.</param>
internal sealed class ReplicaLines(Database database, Database listening, ReplicaTable table, TimeSpan lease, TimeProvider time, ReplicaLog log)
{
    private static readonly TimeSpan LongestSearch = TimeSpan.FromSeconds(6);
    private static readonly TimeSpan LongestPoll = TimeSpan.FromSeconds(1);

    private static readonly TimeSpan FirstAgain = TimeSpan.FromSeconds(1);

    // A pooler does not go away, but a notification may have been late.
    private static readonly TimeSpan AgainWhenImpossible = TimeSpan.FromMinutes(10);

    // So many failures in turn are no accident.
    private const int FailuresToLog = 4;

    private ReplicaLine? _line;
    private long _failedAt;
    private int _failures;
    private TimeSpan _again;
    private bool _isLogged;

    /// <summary>How long an answer may take: the time between two renewals, and more where that is very short.</summary>
    public TimeSpan Limit { get; } = lease / 6 > LongestPoll ? lease / 6 : lease / 3 < LongestPoll ? lease / 3 : LongestPoll;

    /// <summary>How long to wait between two looks: until the next renewal where notifications come, 1 s where they do not.</summary>
    public TimeSpan Interval => _line is { Listens: true } || lease / 6 < LongestPoll ? lease / 6 : LongestPoll;

    private TimeSpan Search { get; } = lease / 3 < LongestSearch ? lease / 3 : LongestSearch;

    /// <summary>The connection to use.</summary>
    /// <param name="id">This process.</param>
    /// <param name="stop">Ends the search.</param>
    /// <returns>The connection, and whether it is another one than before: something may have been missed.</returns>
    public async Task<(ReplicaLine Line, bool IsNew)> FindAsync(Guid id, CancellationToken stop)
    {
        if (_line is { Listens: true })
        {
            return (_line, false);
        }

        Exception? failure = null;
        if (_failures == 0 || time.GetElapsedTime(_failedAt) >= _again)
        {
            var line = new ReplicaLine(listening, time);
            try
            {
                await ListenAsync(line, id, stop);
                End();
                (_line, _failures) = (line, 0);
                return (line, true);
            }
            catch (Exception error) when (!stop.IsCancellationRequested)
            {
                line.End();
                failure = error;
            }
            catch
            {
                line.End();
                throw;
            }
        }

        var isNew = _line is null;
        if (isNew)
        {
            var line = new ReplicaLine(database, time);
            try
            {
                await line.OpenAsync(Limit, stop);
            }
            catch
            {
                line.End();
                throw;
            }

            _line = line;
        }

        if (failure is not null)
        {
            // The database answers: it is the way of the notifications that fails, or a connection of the pool that ended unnoticed.
            var isImpossible = failure is NotSupportedException or PostgresException { SqlState: PostgresErrorCodes.FeatureNotSupported or PostgresErrorCodes.ReadOnlySqlTransaction };
            var longer = _failures == 0 ? FirstAgain : _again * 2;
            (_failedAt, _again) = (time.GetTimestamp(), isImpossible ? AgainWhenImpossible : longer < lease / 3 ? longer : lease / 3);
            if (++_failures >= (isImpossible ? 0 : FailuresToLog) && !_isLogged)
            {
                _isLogged = true;
                log.DoesNotListen(failure.Message.TrimEnd('.'), Interval);
            }
        }

        return (_line!, isNew);
    }

    /// <summary>The connection is not used any more.</summary>
    public void End()
    {
        _line?.End();
        _line = null;
    }

    private async Task ListenAsync(ReplicaLine line, Guid id, CancellationToken stop)
    {
        var start = time.GetTimestamp();
        await line.OpenAsync(Left(), stop);
        await line.ListenAsync(Left(), stop);

        // Through another connection: with one that has listened before, a pooler would pass the notification on within the same transaction.
        var sender = new ReplicaLine(database, time);
        try
        {
            await sender.OpenAsync(Left(), stop);
            await sender.AskAsync(
                async (connection, token) =>
                {
                    await table.NotifyAsync(connection, NewsPayload.Encode(id, new ReplicaNews()), token);
                    return true;
                },
                Left(),
                stop);
        }
        finally
        {
            sender.End();
        }

        while (Left() > TimeSpan.Zero)
        {
            await line.WaitAsync(Left(), stop);
            stop.ThrowIfCancellationRequested();
            while (line.TryHear(out var payload))
            {
                if (NewsPayload.IsFrom(payload, id))
                {
                    return;
                }
            }
        }

        throw new NotSupportedException("what is sent on one connection does not arrive on the one that listens");

        TimeSpan Left() => Search - time.GetElapsedTime(start) is { Ticks: > 0 } left ? left : TimeSpan.Zero;
    }
}
