namespace Weir;

/// <summary>How many requests may be in flight: in all, per host, and whether the bound follows what the servers can do.</summary>
/// <remarks>Read once, when a fan-out begins or a client is built; changes after that have no effect.</remarks>
public class FanOutLimits
{
    private int _maxConcurrency = 50;
    private int? _maxPerHost;
    private TimeSpan _maxRetryAfter = TimeSpan.FromMinutes(2);

    /// <summary>The most requests in flight. Default 50, 1 to 100,000. Further ones wait.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of range.</exception>
    public int MaxConcurrency
    {
        get => _maxConcurrency;
        set => _maxConcurrency = value is >= 1 and <= 100_000 ? value
            : throw new ArgumentOutOfRangeException(nameof(MaxConcurrency), value, $"{nameof(MaxConcurrency)} is {value}; choose 1 to 100000 requests in flight.");
    }

    /// <summary>
    /// The most requests in flight to one host: scheme, name and port. Default <c>null</c>, no limit but <see cref="MaxConcurrency"/>; 1 to
    /// 100,000. Requests that wait for their host do not delay requests to others.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of range.</exception>
    public int? MaxPerHost
    {
        get => _maxPerHost;
        set => _maxPerHost = value is null or (>= 1 and <= 100_000) ? value
            : throw new ArgumentOutOfRangeException(nameof(MaxPerHost), value, $"{nameof(MaxPerHost)} is {value}; choose 1 to 100000 requests in flight to one host, or null for no limit.");
    }

    /// <summary>
    /// Whether the bound on all requests in flight adapts between 1 and <see cref="MaxConcurrency"/>. Default <c>false</c>. It begins at 10, grows by one after
    /// as many responses as it is large, and is halved when a response has status 429 or 503, or when the 95th percentile of the times to the
    /// headers is twice the lowest of late. Requests in flight at that time do not halve it again.
    /// </summary>
    public bool IsAdaptive { get; set; }

    /// <summary>
    /// How long at most a <c>Retry-After</c> header of a response with status 429 or 503 delays further requests to its host. Default 2 minutes; zero ignores the
    /// header, a longer delay is shortened to this. Up to one day.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of range.</exception>
    public TimeSpan MaxRetryAfter
    {
        get => _maxRetryAfter;
        set => _maxRetryAfter = value >= TimeSpan.Zero && value <= TimeSpan.FromDays(1) ? value
            : throw new ArgumentOutOfRangeException(nameof(MaxRetryAfter), value, $"{nameof(MaxRetryAfter)} is {value}; choose zero to ignore Retry-After, or up to one day.");
    }

    /// <summary>The clock of times and delays. Default <see cref="TimeProvider.System"/>.</summary>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;
}
