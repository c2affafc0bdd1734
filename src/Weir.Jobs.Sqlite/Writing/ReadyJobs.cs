using Weir.Jobs.Rules;
using Weir.Jobs.Sqlite.Interop;
using Weir.Jobs.Sqlite.Rows;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Sqlite.Writing;

/// <summary>
/// Finds and starts jobs that are ready, by their index: from one key to the next, however many jobs of a key, and keys, there are. The writer only.
/// </summary>
internal sealed class ReadyJobs
{
    // The key, among the columns of a record.
    private const int Key = JobRow.Width + 4;

    private static readonly JobTraits AnyKind = new();

    private readonly Kinds _kinds;
    private readonly Blobs _blobs;
    private readonly JobTable _jobs;
    private readonly RecordReader _records;

    // While claims of one batch are applied. As many as there are kinds.
    private readonly Dictionary<int, Rows> _rows = [];
    private readonly Statement _any;
    private readonly Statement _first;
    private readonly Statement _next;
    private readonly RunningJobs _running;
    private readonly Statement _nextKind;

    public ReadyJobs(Connection connection, Kinds kinds, Blobs blobs, JobTable jobs, RunningJobs running)
    {
        (_kinds, _blobs, _jobs, _running) = (kinds, blobs, jobs, running);
        _records = new RecordReader(connection, kinds, blobs);
        const string All = $"SELECT {RecordReader.Columns}, arguments, arguments_blob, arguments_size, arguments_check FROM job INDEXED BY job_ready WHERE state = 2 AND kind = ?1 AND priority = ?2";
        const string Order = "ORDER BY key, ready, seq LIMIT 1";
        _any = connection.Prepare("SELECT 1 FROM job INDEXED BY job_ready WHERE state = 2 AND kind = ?1 LIMIT 1");
        _first = connection.Prepare($"{All} {Order}");
        _next = connection.Prepare($"{All} AND key > ?3 {Order}");
        _nextKind = connection.Prepare("SELECT kind FROM job INDEXED BY job_ready WHERE state = 2 AND kind > ?1 ORDER BY kind LIMIT 1");
    }

    /// <summary>The kinds that have jobs which are ready.</summary>
    public List<string> Kinds()
    {
        var found = new List<string>();
        for (var kind = 0; ;)
        {
            using (_nextKind.Bind(1, kind).Use())
            {
                if (!_nextKind.Step())
                {
                    return found;
                }

                kind = _nextKind.Int(0);
                found.Add(_kinds.Name(kind));
            }
        }
    }

    /// <summary>Whether a kind has a job that is ready.</summary>
    public bool Has(string kind)
    {
        if (_kinds.Find(kind) is not { } number)
        {
            return false;
        }

        using (_any.Bind(1, number).Use())
        {
            return _any.Step();
        }
    }

    /// <summary>Starts the next job of a kind, in the order of <see cref="ReadyKind"/>.</summary>
    /// <returns><c>null</c> where none may start.</returns>
    public ClaimedJob? Start(KindClaim claim, DateTimeOffset now)
    {
        if (_kinds.Find(claim.Kind) is not { } kind || _kinds.IsPaused(kind))
        {
            return null;
        }

        if (!_rows.TryGetValue(kind, out var rows))
        {
            _rows.Add(kind, rows = new Rows(this, kind, now));
        }

        return rows.Next(claim);
    }

    /// <summary>The claims of a batch begin: from here on until they end, no job becomes ready.</summary>
    public void Begin()
    {
        _rows.Clear();

        // A batch that failed may have left one where it was.
        _first.Reset();
        _next.Reset();
    }

    private ClaimedJob Start(Statement next, DateTimeOffset now)
    {
        using (next.Use())
        {
            var row = JobRow.Read(next);
            var change = JobRules.Decide(row.Status, AnyKind, JobEvent.Claimed, new JobMoment(now, 0));
            if (change.Verdict != JobVerdict.Applied)
            {
                throw new DamagedRowException("state", row.Seq);
            }

            (row.Status, row.Started) = (change.Status, now);
            var record = _records.Read(next, row);
            var arguments = ReadArguments(next, row.Seq);
            next.Reset();
            _jobs.Start(ref row, record.Key, change.Status, now);
            return new ClaimedJob(record, arguments) { IsDamaged = arguments is null };
        }
    }

    // Damage is confined to the job: the next one can be started.
    private byte[]? ReadArguments(Statement row, long seq)
    {
        const int Arguments = RecordReader.Width;
        try
        {
            return _blobs.Read(row, Arguments, new StoredBytes(row.Long(Arguments + 1), row.Int(Arguments + 2), (uint)row.Long(Arguments + 3)), seq);
        }
        catch (SqliteException error) when (error.IsDamage)
        {
            return null;
        }
    }

    /// <summary>The rows of one kind. A statement stays at the row that was moved to until it is started.</summary>
    private sealed class Rows(ReadyJobs jobs, int kind, DateTimeOffset now) : ReadyKind
    {
        private Statement _at = jobs._first;

        protected override string? Move(JobPriority priority, string? afterKey)
        {
            _at.Reset();
            _at = afterKey is null ? jobs._first : jobs._next.Bind(3, afterKey);
            _at.Bind(1, kind).Bind(2, (long)priority);
            if (_at.Step())
            {
                return _at.Text(Key);
            }

            _at.Reset();
            return null;
        }

        protected override ClaimedJob Start() => jobs.Start(_at, now);

        protected override RunningCounts Running => jobs._running.Of(kind);
    }
}
