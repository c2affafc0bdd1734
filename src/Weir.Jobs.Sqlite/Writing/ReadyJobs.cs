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
    private static readonly JobTraits AnyKind = new();

    private readonly Kinds _kinds;
    private readonly Blobs _blobs;
    private readonly JobTable _jobs;
    private readonly RecordReader _records;

    // The highest priority of kinds, while claims of one batch are applied.
    private readonly Dictionary<int, int> _priorities = [];
    private readonly Statement _priority;
    private readonly Statement _first;
    private readonly Statement _next;
    private readonly Statement _nextKind;

    public ReadyJobs(Connection connection, Kinds kinds, Blobs blobs, JobTable jobs)
    {
        (_kinds, _blobs, _jobs) = (kinds, blobs, jobs);
        _records = new RecordReader(connection, kinds, blobs);
        const string All = $"SELECT {RecordReader.Columns}, arguments, arguments_blob, arguments_size, arguments_check FROM job INDEXED BY job_ready WHERE state = 2 AND kind = ?1 AND priority = ?2";
        const string Order = "ORDER BY key, ready, seq LIMIT 1";
        _priority = connection.Prepare("SELECT priority FROM job INDEXED BY job_ready WHERE state = 2 AND kind = ?1 ORDER BY priority DESC LIMIT 1");
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
    public bool Has(string kind) => _kinds.Find(kind) is { } number && HighestPriority(number) is not null;

    /// <summary>Starts the next job of a kind: of the highest priority, of the key after the one that was served last, the oldest.</summary>
    /// <returns><c>null</c> where none is ready.</returns>
    public ClaimedJob? Start(KindClaim claim, DateTimeOffset now)
    {
        if (_kinds.Find(claim.Kind) is not { } kind)
        {
            return null;
        }

        var isKnown = _priorities.TryGetValue(kind, out var priority);
        for (var highest = isKnown ? priority : HighestPriority(kind); highest is { } one; highest = HighestPriority(kind))
        {
            var started = claim.AfterKey is { } key ? Start(_next.Bind(1, kind).Bind(2, one).Bind(3, key), now) : null;
            started ??= Start(_first.Bind(1, kind).Bind(2, one), now);
            if (started is not null)
            {
                _priorities[kind] = one;
                claim.AfterKey = started.Record.Key;
                return started;
            }
        }

        return null;
    }

    /// <summary>The claims of a batch begin: from here on until they end, no job becomes ready.</summary>
    public void Begin() => _priorities.Clear();

    private int? HighestPriority(int kind)
    {
        using (_priority.Bind(1, kind).Use())
        {
            return _priority.Step() ? _priority.Int(0) : null;
        }
    }

    private ClaimedJob? Start(Statement next, DateTimeOffset now)
    {
        using (next.Use())
        {
            if (!next.Step())
            {
                return null;
            }

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
            _jobs.Start(ref row, change.Status, now);
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
}
