using System.Diagnostics;
using Weir.Jobs.Sqlite.Interop;
using Weir.Jobs.Sqlite.Rows;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Sqlite.Reading;

/// <summary>Lists and counts jobs.</summary>
internal sealed class ListReader(Connection connection, ReadTransactions transactions, Kinds kinds, JobReader jobs)
{
    private const int MostCounted = 10_001;
    private const int RowsUntilClock = 256;
    private const int MostEnded = 1_000;

    private readonly Statement _range = connection.Prepare("SELECT seq FROM job INDEXED BY job_state WHERE kind = ?1 AND state = ?2 AND seq < ?3 ORDER BY seq DESC LIMIT ?4");
    private readonly Statement _all = connection.Prepare("SELECT seq, kind, state, key FROM job WHERE seq < ?1 ORDER BY seq DESC");
    private readonly Statement _count = connection.Prepare("SELECT count(*) FROM (SELECT 1 FROM job INDEXED BY job_state WHERE kind = ?1 AND state = ?2 LIMIT ?3)");

    private readonly Statement _oldest = connection.Prepare("SELECT due FROM job INDEXED BY job_state WHERE kind = ?1 AND state = 2 ORDER BY seq LIMIT 1");
    private readonly Statement _ended = connection.Prepare("SELECT seq, id, state, ended, idempotency_key IS NOT NULL AND unique_until = 0 FROM job WHERE seq > ?1 ORDER BY seq");
    private readonly Statement _size = connection.Prepare("SELECT (page_count - freelist_count) * page_size FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()");
    private readonly Statement _schedules = connection.Prepare($"SELECT {ScheduleRow.Columns} FROM schedule ORDER BY name");

    /// <summary>Each record is read in a transaction of its own: between two of them, a job may change or go.</summary>
    public List<JobRecord> List(JobQuery query, CancellationToken cancellationToken)
    {
        var records = new List<JobRecord>();
        var before = long.MaxValue;
        if (query.Before is { } id)
        {
            if (jobs.Seq(id) is not { } seq)
            {
                return records;
            }

            before = seq;
        }

        var kind = query.Kind is null ? null : kinds.Find(query.Kind);
        if (query.Kind is not null && kind is null)
        {
            return records;
        }

        var found = query.Key is null && (kind is not null || query.State is not null) ? ByState(kind, query.State, before, query.Limit) : BySeq(query, kind, before, cancellationToken);
        foreach (var seq in found)
        {
            cancellationToken.ThrowIfCancellationRequested();
            using var transaction = transactions.Begin();
            if (jobs.Record(seq) is { } record)
            {
                records.Add(record);
            }
        }

        return records;
    }

    public List<JobCount> Count(CancellationToken cancellationToken)
    {
        var counts = new List<JobCount>();
        foreach (var kind in kinds.Numbers)
        {
            for (var state = JobState.Scheduled; state <= JobState.Expired; state++)
            {
                cancellationToken.ThrowIfCancellationRequested();
                using (_count.Bind(1, kind).Bind(2, (long)state).Bind(3, MostCounted).Use())
                {
                    _count.Step();
                    if (_count.Int(0) is var count && count != 0)
                    {
                        counts.Add(new JobCount(kinds.Name(kind), state, count));
                    }
                }
            }
        }

        return counts;
    }

    public List<WaitingJobs> CountWaiting(long most, CancellationToken cancellationToken)
    {
        var waiting = new List<WaitingJobs>();
        foreach (var kind in kinds.Numbers)
        {
            cancellationToken.ThrowIfCancellationRequested();
            var count = CountWaiting(kind, JobState.Scheduled, most);
            count += CountWaiting(kind, JobState.Ready, most - count);
            if (count != 0)
            {
                waiting.Add(new WaitingJobs(kinds.Name(kind), count, Oldest(kind)));
            }
        }

        return waiting;
    }

    /// <summary>As many as can be looked at in one transaction.</summary>
    public EndedJobs ReadEnded(long after)
    {
        var ended = new List<EndedJob>();
        var began = Stopwatch.GetTimestamp();
        using var scope = _ended.Bind(1, after).Use();
        for (var rows = 1; _ended.Step(); rows++)
        {
            after = _ended.Long(0);
            if ((JobState)_ended.Int(2) is > JobState.Running and var state)
            {
                ended.Add(new EndedJob(_ended.Id(1), state, _ended.Time(3), _ended.Int(4) != 0));
            }

            if (ended.Count == MostEnded || (rows % RowsUntilClock == 0 && Stopwatch.GetElapsedTime(began) > ReadTransactions.Time))
            {
                return new EndedJobs(ended, after);
            }
        }

        return new EndedJobs(ended, null);
    }

    /// <summary>Bytes of pages that are used, in the file and in the log that is copied into it.</summary>
    public long? Size()
    {
        using (_size.Use())
        {
            return _size.Step() ? _size.Long(0) : null;
        }
    }

    public List<ScheduleRecord> Schedules() => ScheduleRow.ReadAll(_schedules);

    private long CountWaiting(int kind, JobState state, long most)
    {
        using (_count.Bind(1, kind).Bind(2, (long)state).Bind(3, Math.Max(0, most)).Use())
        {
            return _count.Step() ? _count.Long(0) : 0;
        }
    }

    private DateTimeOffset? Oldest(int kind)
    {
        using (_oldest.Bind(1, kind).Use())
        {
            return _oldest.Step() ? _oldest.Time(0) : null;
        }
    }

    // The last ones of each kind and state, and the last ones of those: an index has them in this order.
    private IEnumerable<long> ByState(int? kind, JobState? state, long before, int limit)
    {
        var found = new List<long>();
        foreach (var number in kind is { } one ? [one] : kinds.Numbers)
        {
            for (var next = state ?? JobState.Scheduled; next <= (state ?? JobState.Expired); next++)
            {
                using (_range.Bind(1, number).Bind(2, (long)next).Bind(3, before).Bind(4, limit).Use())
                {
                    while (_range.Step())
                    {
                        found.Add(_range.Long(0));
                    }
                }
            }
        }

        return found.OrderDescending().Take(limit);
    }

    // From the last one on, in several transactions: no index has keys of jobs that have ended.
    private List<long> BySeq(JobQuery query, int? kind, long before, CancellationToken cancellationToken)
    {
        var found = new List<long>();
        while (found.Count < query.Limit)
        {
            cancellationToken.ThrowIfCancellationRequested();
            var began = Stopwatch.GetTimestamp();
            using var scope = _all.Bind(1, before).Use();
            for (var rows = 1; found.Count < query.Limit; rows++)
            {
                if (!_all.Step())
                {
                    return found;
                }

                before = _all.Long(0);
                if ((kind is null || kind == _all.Int(1)) && (query.State is null || query.State == (JobState)_all.Int(2)) && (query.Key is null || query.Key == _all.Text(3)))
                {
                    found.Add(before);
                }

                if (rows % RowsUntilClock == 0 && Stopwatch.GetElapsedTime(began) > ReadTransactions.Time)
                {
                    break;
                }
            }
        }

        return found;
    }
}
