namespace Weir.Load.Measuring;

/// <summary>What one thread of a load generator saw.</summary>
/// <remarks>One writer. While it writes, others may read the counts.</remarks>
internal sealed class LoadResult
{
    private const int FirstErrorStatus = 400;

    // Kinds are few: statuses, and ways to fail.
    private readonly Dictionary<string, long> _errorsByKind = [];

    /// <summary>Requests that succeeded: a complete response with a status below 400.</summary>
    public long Completed { get; private set; }

    /// <summary>Those of them that ended in time: not after the duration of the load.</summary>
    public long InTime { get; private set; }

    /// <summary>Requests that failed.</summary>
    public long Errors { get; private set; }

    public IReadOnlyDictionary<string, long> ErrorsByKind => _errorsByKind;

    /// <summary>Requests that were due, and had not ended when the load was stopped early. In no other count.</summary>
    public long Unfinished { get; set; }

    /// <summary>Whether the load was stopped early.</summary>
    public bool IsStopped { get; set; }

    public long Bytes { get; set; }

    /// <summary>Items of streams.</summary>
    public long Items { get; private set; }

    /// <summary>For how long the load counted.</summary>
    public double Seconds { get; set; }

    /// <summary>From the time when a request should have been sent: what a user observes, including the delay of the generator.</summary>
    public LatencyHistogram Response { get; } = new();

    /// <summary>From when a request was given to the socket.</summary>
    public LatencyHistogram Service { get; } = new();

    /// <summary>How late the generator itself was: if this is large, the other figures are its own.</summary>
    public LatencyHistogram Lateness { get; } = new();

    /// <summary>How long requests had to wait for a connection because all had one in flight: caused by the server, and part of the response time.</summary>
    public LatencyHistogram ConnectionWait { get; } = new();

    /// <summary>From when a request was sent to the first bytes of its response.</summary>
    public LatencyHistogram FirstByte { get; } = new();

    /// <summary>Between two items of a stream.</summary>
    public LatencyHistogram ItemGap { get; } = new();

    public double PerSecond => InTime / Seconds;

    /// <summary>Requests that failed make every other figure worthless.</summary>
    public LoadResult WithoutErrors() => Errors == 0 && Completed > 0
        ? this
        : throw new InvalidDataException($"{Errors} of {Completed + Errors} requests failed: {string.Join(", ", _errorsByKind.Select(static kind => $"{kind.Value} × {kind.Key}"))}.");

    /// <summary>A complete response.</summary>
    /// <param name="start">When its request should have been sent.</param>
    /// <param name="sent">When it was sent.</param>
    /// <param name="status">Its status.</param>
    /// <param name="now">When it ended.</param>
    /// <param name="isInTime">Whether that was within the duration of the load.</param>
    public void Answered(long start, long sent, int status, long now, bool isInTime)
    {
        Record(start, sent, now);
        if (status >= FirstErrorStatus)
        {
            Failed($"status {status}");
            return;
        }

        Completed++;
        InTime += isInTime ? 1 : 0;
    }

    /// <summary>A request that took too long: its times count as far as they are known.</summary>
    public void TimedOut(long start, long sent, long now)
    {
        Record(start, sent, now);
        Failed(ErrorKinds.TimedOut);
    }

    /// <summary>A request that was due and could not be sent; it has waited until now.</summary>
    public void NotSent(long start, long now)
    {
        Response.Record(Stamp.Nanoseconds(start, now));
        Failed(ErrorKinds.NotSent);
    }

    /// <summary>A request without a complete response.</summary>
    public void Failed(string kind)
    {
        Errors++;
        _errorsByKind[kind] = _errorsByKind.GetValueOrDefault(kind) + 1;
    }

    /// <summary>Items that arrived together.</summary>
    /// <param name="count">From 1.</param>
    /// <param name="previous">When the items before them arrived; zero when they are the first.</param>
    /// <param name="now">When they arrived.</param>
    public void Arrived(int count, long previous, long now)
    {
        Items += count;
        if (previous != 0)
        {
            ItemGap.Record(Stamp.Nanoseconds(previous, now));
        }

        if (count > 1)
        {
            ItemGap.Record(0, count - 1);
        }
    }

    /// <summary>Adds what another thread saw during the same time.</summary>
    public void Merge(LoadResult other)
    {
        Completed += other.Completed;
        InTime += other.InTime;
        Errors += other.Errors;
        Unfinished += other.Unfinished;
        IsStopped |= other.IsStopped;
        Bytes += other.Bytes;
        Items += other.Items;
        Seconds = Math.Max(Seconds, other.Seconds);
        Response.Merge(other.Response);
        Service.Merge(other.Service);
        Lateness.Merge(other.Lateness);
        ConnectionWait.Merge(other.ConnectionWait);
        FirstByte.Merge(other.FirstByte);
        ItemGap.Merge(other.ItemGap);
        foreach (var (kind, count) in other._errorsByKind)
        {
            _errorsByKind[kind] = _errorsByKind.GetValueOrDefault(kind) + count;
        }
    }

    private void Record(long start, long sent, long now)
    {
        Service.Record(Stamp.Nanoseconds(sent, now));
        Response.Record(Stamp.Nanoseconds(start, now));
    }
}
