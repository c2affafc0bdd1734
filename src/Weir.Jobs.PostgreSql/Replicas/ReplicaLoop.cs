using System.Collections.Frozen;
using System.Globalization;
using Microsoft.Extensions.Logging;
using Npgsql;
using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Writing;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Replicas;

/// <summary>
/// This process among those that share a database: it renews its lease, hears what others do and looks for it, and reports that. One task does all of it, which survives every failure of the database. Any thread.
/// </summary>
internal sealed class ReplicaLoop : IAsyncDisposable
{
    // Those that this process had, when it was presumed lost: what it ran then may still run.
    private const int MostIds = 16;

    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LooksApart = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan LastWait = TimeSpan.FromMilliseconds(900);
    private static readonly TimeSpan LongestLeave = TimeSpan.FromSeconds(5);

    private readonly Database _database;
    private readonly Database _listening;
    private readonly string? _listensElsewhere;
    private readonly ReplicaTable _table;
    private readonly LeaseClock _clock;
    private readonly ReplicaLines _lines;
    private readonly ReplicaLog _log;
    private readonly TimeSpan _lease;
    private readonly TimeProvider _time;
    private readonly WatchedJobs _watched = new();
    private readonly WatchMarker _marker;
    private readonly OrphanedAttempts _orphans;
    private readonly CancellationTokenSource _stop = new();

    // Reports come one after the other, from the loop and from the timer.
    private readonly Lock _reporting = new();

    // Under _reporting. Commits of this process that paused or resumed kinds.
    private long _pauses;
    private readonly ITimer _danger;
    private CancellationTokenSource _wake = new();
    private IJobStoreListener? _listener;
    private Task? _running;

    // The current one first. At most so many.
    private volatile Guid[] _ids = [];
    private volatile string[] _kinds = [];
    private long[] _signatures = [];
    private IReadOnlyList<ReplicaKind> _runs = [];
    private volatile FrozenDictionary<string, long[]> _foreign = FrozenDictionary<string, long[]>.Empty;
    private volatile bool _hasOthers = true;
    private volatile bool _mustLook;
    private volatile bool _leaves;
    private volatile bool _hasLeft;
    private int _isDisposed;

    // The loop's.
    private long _lookedAt;
    private TimeSpan _wait;
    private bool _isFailing;

    /// <param name="database">Connections for all but to listen.</param>
    /// <param name="listenConnectionString">To listen; <c>null</c> for the same.</param>
    /// <param name="lease">How long this process, and each other one, may go without a renewal.</param>
    /// <param name="time">Measures it.</param>
    /// <param name="logger">The log.</param>
    public ReplicaLoop(Database database, string? listenConnectionString, TimeSpan lease, TimeProvider time, ILogger logger)
    {
        // Not of a pool, which would hand a connection that listens to others.
        var listen = new NpgsqlConnectionStringBuilder(listenConnectionString ?? database.ConnectionString) { Pooling = false, KeepAlive = 0 };
        (_database, _listening, _listensElsewhere) = (database, new Database(listen.ConnectionString, database.SchemaName), listenConnectionString);
        (_lease, _time, _log, _table, _clock) = (lease, time, new ReplicaLog(logger), new ReplicaTable(database), new LeaseClock(lease, time));
        _orphans = new OrphanedAttempts(lease, time);
        _marker = new WatchMarker(database, _table, _watched);
        _lines = new ReplicaLines(database, _listening, _table, lease, time, _log);
        _danger = time.CreateTimer(static loop => ((ReplicaLoop)loop!).CheckLease(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>What this process is called now. It is another one after it was presumed lost: a commit reads it once.</summary>
    public Guid Id => _ids[0];

    /// <summary>
    /// By kind, the signatures that other processes publish that are not presumed lost, and this one has not: they run the jobs that have them. Kinds where all are alike are not in it. As new as the last renewal, or as the notification of
    /// a change.
    /// </summary>
    public IReadOnlyDictionary<string, long[]> Foreign => _foreign;

    /// <summary>Whether there are other processes, or may be: else a commit sends no notification. A new one looks itself for what was there before it.</summary>
    public bool HasOthers => _hasOthers;

    /// <summary>Registers this process, and begins to renew its lease. The tables exist.</summary>
    public async Task OpenAsync(JobReplica replica, CancellationToken cancellationToken)
    {
        await CheckListenAsync(cancellationToken);
        _runs = replica.Kinds;
        _kinds = [.. _runs.Select(static kind => kind.Kind)];
        _signatures = [.. _runs.Select(static kind => unchecked((long)kind.Signature))];
        _ids = [replica.Id];

        await using var connection = await _database.OpenAsync(cancellationToken);
        var sent = _clock.Now;
        _clock.Renewed(sent, await _table.RegisterAsync(connection, replica.Id, Host(), _runs, cancellationToken));
        sent = _clock.Now;
        Renewed(sent, await _table.RenewAsync(connection, Question(declares: null), _lease, cancellationToken));
        _running = Task.Run(RunAsync, CancellationToken.None);
    }

    /// <summary>What a commit notifies the others of.</summary>
    /// <param name="news">What it did.</param>
    /// <param name="isOfApplication">Whether the transaction is the application's: then this process hears of it, too, when it commits.</param>
    /// <returns>The payload of the notification; <c>null</c> where there is no other process.</returns>
    public string? Notification(CommitNews news, bool isOfApplication) =>
        isOfApplication || _hasOthers ? NewsPayload.Encode(isOfApplication ? Guid.Empty : Id, ReplicaNews.Of(news)) : null;

    /// <summary>A commit of this process has paused or resumed kinds. Before the commit returns: what was looked up before it is not reported after it.</summary>
    public void Paused()
    {
        lock (_reporting)
        {
            _pauses++;
        }
    }

    /// <summary>Begins to report, with everything that there is now.</summary>
    public void Listen(IJobStoreListener listener)
    {
        Volatile.Write(ref _listener, listener);
        Look();
    }

    /// <summary>This process runs no jobs any more that it does not run now: its versions count no more. Without an answer it is done with the next renewal.</summary>
    /// <exception cref="JobStoreException">The database does not answer.</exception>
    public async ValueTask LeaveAsync()
    {
        _leaves = true;
        if (_hasLeft)
        {
            return;
        }

        var line = new ReplicaLine(_database, _time);
        try
        {
            var limit = _lines.Limit < LongestLeave ? _lines.Limit : LongestLeave;
            await line.OpenAsync(limit, _stop.Token);
            await LeaveAsync(line, limit);
        }
        catch (Exception error) when (error is not JobStoreException)
        {
            throw Failed("This process could not say that it runs no more jobs", error);
        }
        finally
        {
            line.End();
        }
    }

    /// <summary>A job is waited for here: what other processes do with it is reported from now on.</summary>
    /// <exception cref="JobStoreException">The database does not answer.</exception>
    public async ValueTask WatchAsync(Guid job, CancellationToken cancellationToken)
    {
        // Without others its row does not have to say so. It does as soon as there is another.
        if (!_watched.Add(job) && _hasOthers)
        {
            await _marker.MarkAsync(job, cancellationToken);
        }
    }

    /// <summary>Ends the loop, and deletes the row of this process if nothing of it runs. Takes no longer than 1 s.</summary>
    public ValueTask DisposeAsync() => EndAsync(deletes: true);

    /// <summary>Ends the loop as if the process was killed. For tests.</summary>
    public ValueTask KillAsync() => EndAsync(deletes: false);

    private async ValueTask EndAsync(bool deletes)
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
        {
            return;
        }

        // Not here: those that it stops may ask the server to cancel, and wait for that.
        _ = _stop.CancelAsync();
        await _danger.DisposeAsync();
        using (var last = new CancellationTokenSource(LastWait))
        {
            try
            {
                if (_running is not null)
                {
                    await _running.WaitAsync(last.Token);
                    if (deletes)
                    {
                        await DeleteAsync(last.Token).WaitAsync(last.Token);
                    }
                }
            }
            catch (Exception)
            {
                // The database does not answer: others find the row when its lease is over.
            }
        }

        await _listening.DisposeAsync();
    }

    private static string Host() => string.Create(CultureInfo.InvariantCulture, $"{Environment.MachineName}, process {Environment.ProcessId}");

    private static JobStoreException Failed(string what, Exception error) => new($"{what}: {error.Message}", error);

    // Else it would be found out when the first notification does not come.
    private async Task CheckListenAsync(CancellationToken cancellationToken)
    {
        if (_listensElsewhere is null)
        {
            return;
        }

        try
        {
            await using var connection = await _listening.OpenAsync(cancellationToken);
        }
        catch (Exception error) when (error is NpgsqlException or TimeoutException)
        {
            throw new InvalidOperationException(
                $"{WeirCodes.JobStoreUnusable}: ListenConnectionString leads to {_listening.Place}, which cannot be opened: {error.Message}. Name a direct connection to the same database, or leave it out where the other one is direct. See {WeirCodes.JobStoreUnusable}.", error);
        }
    }

    private async Task RunAsync()
    {
        var pause = FirstPause;
        while (!_stop.IsCancellationRequested)
        {
            var isRenewal = true;
            try
            {
                var (line, isNew) = await _lines.FindAsync(Id, _stop.Token);
                if (isNew)
                {
                    _wait = TimeSpan.Zero;
                }

                await LookAsync(line);
                (_isFailing, pause) = (false, FirstPause);

                // A connection that ends while nothing is asked of it is no renewal that was not answered.
                isRenewal = false;
                await WaitAsync(line);
                Hear(line);
            }
            catch (Exception error) when (!_stop.IsCancellationRequested)
            {
                _lines.End();
                if (isRenewal)
                {
                    Failed(error);
                    await Task.Delay(pause, _time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                    pause = pause * 2 < LongestPause ? pause * 2 : LongestPause;
                }
            }
            catch (Exception)
            {
                break;
            }
        }

        _lines.End();
    }

    private void Failed(Exception error)
    {
        _clock.Failed();
        if (!_isFailing)
        {
            _isFailing = true;
            _log.NotRenewed(error);
        }
    }

    // ---- looks ----

    private void Look()
    {
        _mustLook = true;
        _ = Volatile.Read(ref _wake).CancelAsync();
    }

    private async Task WaitAsync(ReplicaLine line)
    {
        var wake = _wake;
        if (wake.IsCancellationRequested)
        {
            Volatile.Write(ref _wake, wake = new CancellationTokenSource());
        }

        if (_mustLook)
        {
            _mustLook = false;
            Soon();
        }

        using var either = CancellationTokenSource.CreateLinkedTokenSource(wake.Token, _stop.Token);
        await line.WaitAsync(_wait - _time.GetElapsedTime(_lookedAt), either.Token);
    }

    // However much is reported at once, it is looked up ten times a second at most.
    private void Soon() => _wait = _wait < LooksApart ? _wait : LooksApart;

    private async Task LookAsync(ReplicaLine line)
    {
        if (_time.GetElapsedTime(_lookedAt) < _wait)
        {
            return;
        }

        if (_leaves && !_hasLeft)
        {
            await LeaveAsync(line, _lines.Limit);
        }

        var (sent, pauses) = (_clock.Now, Volatile.Read(ref _pauses));
        var question = Question(_clock.MayDeclare(out var before) ? before : null);
        var look = await line.AskAsync((connection, token) => _table.RenewAsync(connection, question, _lease, token), _lines.Limit, _stop.Token);
        if (look.Renewed is null)
        {
            await RegisterAgainAsync(line);
            return;
        }

        (_lookedAt, _wait) = (_clock.Now, _lines.Interval);
        Renewed(sent, look);
        Report(look, pauses);
        if (_hasOthers && _watched.Unmarked() is { Length: > 0 } unmarked)
        {
            var left = await line.AskAsync((connection, token) => _table.MarkAsync(connection, unmarked, token), _lines.Limit, _stop.Token);
            foreach (var job in unmarked.Except(left))
            {
                _watched.Marked(job);
            }
        }
    }

    private ReplicaQuestion Question(DateTime? declares) => new(_ids, _kinds, _signatures, _watched.All(), declares);

    private void Renewed(long sent, ReplicaLook look)
    {
        _clock.Renewed(sent, look.Renewed ?? throw new JobStoreException("The row of this process is gone, although it was just added."));
        if (_isFailing)
        {
            _log.RenewedAgain();
        }

        _danger.Change(_clock.UntilDanger, Timeout.InfiniteTimeSpan);
        _hasOthers = look.Others > 0;
        if (look.Foreign.Count + _foreign.Count > 0)
        {
            _foreign = look.Foreign.GroupBy(static one => one.Kind, static one => one.Signature, StringComparer.Ordinal).ToFrozenDictionary(static group => group.Key, static group => group.ToArray(), StringComparer.Ordinal);
        }

        foreach (var (id, host) in look.Declared)
        {
            _log.Declared(id, host, _lease);
        }
    }

    // Others may have started what runs here, or will.
    private async Task RegisterAgainAsync(ReplicaLine line)
    {
        if (_clock.Lose())
        {
            Report(static listener => listener.LeaseLost());
        }

        var (id, before, sent) = (Guid.NewGuid(), Id, _clock.Now);
        var runs = !_leaves;
        var renewed = await line.AskAsync((connection, token) => _table.RegisterAsync(connection, id, Host(), runs ? _runs : [], token), _lines.Limit, _stop.Token);
        _ids = [id, .. _ids.Take(MostIds - 1)];
        _hasLeft = !runs;
        _clock.Renewed(sent, renewed);
        _wait = TimeSpan.Zero;
        _log.RegisteredAgain(_lease, id, before);
    }

    private async Task LeaveAsync(ReplicaLine line, TimeSpan limit)
    {
        var ids = _ids;
        await line.AskAsync(
            async (connection, token) =>
            {
                await _table.LeaveAsync(connection, ids, token);
                return true;
            },
            limit,
            _stop.Token);

        // Else it has registered again since.
        _hasLeft = ids == _ids;
    }

    private async Task DeleteAsync(CancellationToken cancellationToken)
    {
        await using var connection = await _database.OpenAsync(cancellationToken);
        await _table.DeleteAsync(connection, _ids, cancellationToken);
    }

    // ---- reports ----

    private void CheckLease()
    {
        if (_clock.TryLose())
        {
            Report(static listener => listener.LeaseLost());
        }
        else if (_clock.UntilDanger is { Ticks: > 0 } left)
        {
            _danger.Change(left, Timeout.InfiniteTimeSpan);
        }
    }

    private void Report(Action<IJobStoreListener> report)
    {
        if (Volatile.Read(ref _listener) is { } listener)
        {
            lock (_reporting)
            {
                report(listener);
            }
        }
    }

    private void Report(ReplicaLook look, long pauses) => Report(listener =>
    {
        // What it saw may be older than what was committed here since.
        if (pauses == _pauses)
        {
            listener.Paused(look.Paused);
        }
        else
        {
            Soon();
        }

        look.Lost.AddRange(_orphans.Find(look.Own, listener.Runs));
        if (look.Lost.Count > 0)
        {
            listener.Lost(look.Lost);
        }

        if (look.Stops.Count > 0)
        {
            listener.Stop(look.Stops);
        }

        if (look.NextDue is { } due)
        {
            listener.DueAt(due);
        }

        if (look.Ready.Count > 0 && !_leaves)
        {
            listener.Ready(look.Ready);
        }

        foreach (var (job, state) in look.Watched)
        {
            if (_watched.Differs(job, state))
            {
                listener.Changed(job, state is null);
            }
        }
    });

    private void Hear(ReplicaLine line)
    {
        if (line.HasMissed)
        {
            line.HasMissed = false;
            Soon();
        }

        while (line.TryHear(out var payload))
        {
            if (!NewsPayload.IsFrom(payload, Id))
            {
                Hear(NewsPayload.Decode(payload));
            }
        }
    }

    private void Hear(ReplicaNews news)
    {
        if (news.Look || news.Pauses || news.Versions)
        {
            Soon();
        }

        foreach (var (job, hasEnded) in news.Watched)
        {
            if (hasEnded)
            {
                _watched.Remove(job);
            }
        }

        Report(listener =>
        {
            var ids = _ids;
            var stops = news.Stops.Where(stop => ids.Contains(stop.Replica)).Select(static stop => stop.Attempt).ToArray();
            if (stops.Length > 0)
            {
                listener.Stop(stops);
            }

            if (news.Due is { } due)
            {
                listener.DueAt(due);
            }

            news.ReadyKinds.IntersectWith(_kinds);
            if (news.ReadyKinds.Count > 0 && !_leaves)
            {
                listener.Ready(news.ReadyKinds);
            }

            foreach (var (job, hasEnded) in news.Watched)
            {
                listener.Changed(job, hasEnded);
            }
        });
    }
}
