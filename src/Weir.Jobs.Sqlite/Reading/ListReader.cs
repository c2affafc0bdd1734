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

    private readonly Statement _range = connection.Prepare("SELECT seq FROM job INDEXED BY job_state WHERE kind = ?1 AND state = ?2 AND seq < ?3 ORDER BY seq DESC LIMIT ?4");
    private readonly Statement _all = connection.Prepare("SELECT seq, kind, state, key FROM job WHERE seq < ?1 ORDER BY seq DESC");
    private readonly Statement _count = connection.Prepare("SELECT count(*) FROM (SELECT 1 FROM job INDEXED BY job_state WHERE kind = ?1 AND state = ?2 LIMIT ?3)");

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
