using Npgsql;
using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Rows;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Claiming;

/// <summary>
/// Claims jobs in the transaction of a commit: <see cref="Begin"/>, <see cref="Append"/> behind the statements that write, <see cref="SelectAsync"/> when they have run, <see cref="AppendClaims"/> with what comes last, <see cref="Complete"/> when
/// that has run, and then <see cref="Committed"/>; or <see cref="RolledBack"/>, after which the same batch can begin again. One flow at a time.
/// </summary>
internal sealed class JobClaimer
{
    private readonly TimeProvider _clock;
    private readonly CandidateQuery _candidates;
    private readonly string _seen;
    private readonly string _claim;
    private readonly string _again;
    private readonly string _probe;

    // As many as there are kinds.
    private readonly Dictionary<string, KindMarks> _marks = new(StringComparer.Ordinal);

    // Of one commit; what it claims bounds them.
    private readonly Dictionary<string, KindState> _kinds = new(StringComparer.Ordinal);
    private readonly List<(KindClaim Claim, JobTurn Turn)> _turns = [];
    private readonly List<(JobClaim Claim, Guid Id)> _picks = [];
    private readonly List<LevelRequest> _requests = [];
    private readonly Dictionary<Guid, ClaimedJob> _claimed = [];
    private readonly HashSet<string> _notEmpty = new(StringComparer.Ordinal);
    private ClaimScope? _scope;
    private long _given;
    private long _oldest;
    private long _next;

    // Where the selection is.
    private int _at;
    private int _turn;
    private int _kind;
    private int _count;
    private bool _isServed;

    public JobClaimer(Database database, TimeProvider clock)
    {
        (_clock, _candidates) = (clock, new CandidateQuery(database));

        // The last block of places may be given to jobs still.
        _seen = $"SELECT pg_snapshot_xmin(seen)::text::bigint, pg_snapshot_xmax(seen)::text::bigint, (SELECT last_value - 1 FROM {database.Schema}.ready_seq) FROM pg_current_snapshot() AS seen";
        _claim =
            $"""
            UPDATE {database.Schema}.job SET state = 3, stop = 0, fence = fence + 1, open = true, starts = starts + 1, started = $1, replica = $2
            WHERE id = ANY($3)
            RETURNING {RowReader.Record}, arguments
            """;
        _again = $"SELECT {RowReader.Record}, arguments FROM {database.Schema}.job WHERE state = 3 AND replica = $1 AND id = ANY($2)";
        const string Ready = "job.state = 2 AND job.kind = probe.kind AND job.priority = probe.priority AND job.ready > probe.low AND job.signature <> ALL(probe.sigs::bigint[])";
        _probe =
            $"""
            SELECT DISTINCT probe.kind
            FROM unnest($1, $2, $3, $4, $5, $6) AS probe(kind, priority, key, ready, low, sigs)
            WHERE EXISTS (SELECT FROM {database.Schema}.job AS job WHERE {Ready} AND (job.key, job.ready) > (probe.key, probe.ready))
              OR EXISTS (SELECT FROM {database.Schema}.job AS job WHERE {Ready})
            """;
    }

    /// <summary>The kinds of which jobs were locked and not claimed: other processes may have passed over them, so a notification has to name them when the transaction ends. Known after <see cref="SelectAsync"/>.</summary>
    public IEnumerable<string> Left => _kinds.Where(static kind => kind.Value.HasLeft).Select(static kind => kind.Key);

    /// <summary>A job that is ready may have got another key, and keeps its place: other processes find it within a minute.</summary>
    public void Forget()
    {
        foreach (var marks in _marks.Values)
        {
            marks.Forget();
        }
    }

    /// <summary>A transaction begins, or begins again.</summary>
    public void Begin(ClaimScope scope)
    {
        Reset();
        _scope = scope;
        _turns.AddRange(scope.Batch.Claims.SelectMany(static claim => claim.Kinds).Select(static kind => (kind, kind.Turn)));
        foreach (var (claim, _) in _turns)
        {
            var foreign = scope.Foreign.GetValueOrDefault(claim.Kind) ?? [];
            if (!_marks.TryGetValue(claim.Kind, out var marks))
            {
                _marks.Add(claim.Kind, marks = new KindMarks(_clock));
            }

            if (!_kinds.ContainsKey(claim.Kind))
            {
                marks.Begin(foreign);
                _kinds.Add(claim.Kind, new KindState(claim, marks, foreign, scope.Running.GetValueOrDefault(claim.Kind)));
            }
        }
    }

    /// <summary>Adds the statements that fetch the first candidates: none where nothing is claimed.</summary>
    public void Append(Pipeline pipeline)
    {
        if (_turns.Count == 0)
        {
            return;
        }

        pipeline.Query(_seen, reader => (_oldest, _next, _given) = (reader.GetInt64(0), reader.GetInt64(1), reader.GetInt64(2)));
        if (MayClaim)
        {
            foreach (var claim in _scope!.Batch.Claims)
            {
                Plan(claim, claim.Slots, 0);
            }

            Fetch(pipeline);
        }
    }

    /// <summary>The statements have run: selects jobs, and fetches more where places are left.</summary>
    /// <param name="pipeline">Empty.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async ValueTask SelectAsync(Pipeline pipeline, CancellationToken cancellationToken)
    {
        _candidates.Complete();
        while (MayClaim && !TrySelect())
        {
            // Of what has to be fetched at any rate, and with the same trip what others lack.
            var claim = _scope!.Batch.Claims[_at];
            Plan(claim, claim.Slots - _count, _turn);
            Fetch(pipeline);
            await pipeline.SendAsync(cancellationToken);
            _candidates.Complete();
        }
    }

    /// <summary>Adds the statements that start what was selected.</summary>
    public void AppendClaims(Pipeline pipeline)
    {
        if (_picks.Count > 0)
        {
            pipeline.Query(_claim, Claimed)
                .With(_scope!.Batch.Now.UtcTicks).With(_scope.Replica).With(_picks.Select(static pick => pick.Id).ToArray());
        }

        _notEmpty.UnionWith(Left);
        var probes = _kinds.Where(kind => !_notEmpty.Contains(kind.Key)).SelectMany(static kind => kind.Value.Probes()).ToList();
        if (probes.Count > 0)
        {
            pipeline.Query(_probe, reader => _notEmpty.Add(StoredText.Read(reader.GetString(0))))
                .With(probes.Select(static probe => probe.Kind).ToArray())
                .With(probes.Select(static probe => probe.Priority).ToArray())
                .With(probes.Select(static probe => probe.Key).ToArray())
                .With(probes.Select(static probe => probe.Ready).ToArray())
                .With(probes.Select(static probe => probe.Low).ToArray())
                .With(probes.Select(static probe => $"{{{string.Join(',', probe.Foreign)}}}").ToArray());
        }
    }

    /// <summary>Adds the statement that reads what was started, where the answer to <see cref="AppendClaims"/> was lost.</summary>
    public void AppendAgain(Pipeline pipeline)
    {
        if (_picks.Count > 0)
        {
            pipeline.Query(_again, Claimed).With(_scope!.Replica).With(_picks.Select(static pick => pick.Id).ToArray());
        }
    }

    /// <summary>The statements have run: fills in the claims. A job that another process has taken since, because this one did not answer, is not there.</summary>
    public void Complete()
    {
        foreach (var (claim, id) in _picks)
        {
            if (_claimed.TryGetValue(id, out var job))
            {
                claim.Jobs.Add(job);
            }
        }

        foreach (var (claim, _) in _turns)
        {
            claim.IsEmpty = !_notEmpty.Contains(claim.Kind);
        }
    }

    /// <summary>The transaction was committed.</summary>
    public void Committed()
    {
        foreach (var (name, kind) in _kinds)
        {
            // What this commit has seen is younger than the transactions that it knows of.
            _marks[name].Advance(_oldest, _next);
            kind.Remember(_given);
        }

        Reset();
    }

    /// <summary>The transaction was rolled back.</summary>
    public void RolledBack()
    {
        foreach (var (claim, turn) in _turns)
        {
            claim.Turn = turn;
        }

        foreach (var claim in _scope?.Batch.Claims ?? [])
        {
            claim.Jobs.Clear();
        }

        Reset();
    }

    private void Claimed(NpgsqlDataReader reader)
    {
        var job = RowReader.ReadRecord(reader);
        _claimed[job.Id] = new ClaimedJob(job, reader.GetFieldValue<byte[]>(RowReader.RecordWidth));
    }

    private bool MayClaim => _scope is { MayStart: true, Batch.IsBehind: false };

    private void Reset()
    {
        _scope = null;
        _kinds.Clear();
        _turns.Clear();
        _picks.Clear();
        _requests.Clear();
        _claimed.Clear();
        _notEmpty.Clear();
        (_at, _turn, _kind, _count, _isServed) = (0, 0, 0, 0, false);
    }

    // The kinds of a claim share its places: each one gets as much as the others, and what it does not need goes to them with the next trip.
    private void Plan(JobClaim claim, int slots, int turn)
    {
        var kinds = claim.Kinds.Where(kind => kind.Slots > turn && !_scope!.Paused.Contains(kind.Kind) && !_kinds[kind.Kind].IsOver).ToList();
        foreach (var kind in kinds)
        {
            var share = (slots + kinds.Count - 1) / kinds.Count;
            if (_requests.TrueForAll(request => request.Kind != StoredText.Write(kind.Kind)))
            {
                _kinds[kind.Kind].Plan(kind, Math.Min(kind.Slots - turn, share), _requests);
            }
        }
    }

    private void Fetch(Pipeline pipeline)
    {
        if (_requests.Count > 0)
        {
            _candidates.Append(pipeline, _requests);
            _requests.Clear();
        }
    }

    // As the store in memory does it. Stops where something has to be fetched first, and begins there again.
    private bool TrySelect()
    {
        for (var claims = _scope!.Batch.Claims; _at < claims.Count; (_at, _turn, _kind, _count, _isServed) = (_at + 1, 0, 0, 0, false))
        {
            var claim = claims[_at];
            while (_count < claim.Slots)
            {
                if (_kind == claim.Kinds.Count)
                {
                    if (!_isServed)
                    {
                        break;
                    }

                    (_turn, _kind, _isServed) = (_turn + 1, 0, false);
                }

                // A kind without a job in one turn has none in the next.
                var one = claim.Kinds[_kind];
                if (_turn < one.Slots && !_scope.Paused.Contains(one.Kind))
                {
                    var rows = _kinds[one.Kind].Rows;
                    if (!rows.IsKnown(one, out _))
                    {
                        return false;
                    }

                    if (rows.Next(one) is not null)
                    {
                        _picks.Add((claim, rows.Started));
                        _count++;
                        _isServed = true;
                    }
                }

                _kind++;
            }
        }

        return true;
    }
}
