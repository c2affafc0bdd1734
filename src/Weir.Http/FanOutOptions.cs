namespace Weir;

/// <summary>Bounds and order of a fan-out. Not changed while one uses it; may be shared by several, each of which then has these bounds for itself.</summary>
public sealed class FanOutOptions
{
    private readonly int _maxConcurrency = 50;
    private readonly int? _maxPerHost;
    private readonly FanOutOrder _order;

    /// <summary>
    /// The most requests in flight. Default 50, 1 to 100,000. As many results at most wait to be taken: a consumer that takes none stops the
    /// fan-out from reading further requests. With <see cref="MaxPerHost"/>, as many requests again may wait for their host.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of range.</exception>
    public int MaxConcurrency
    {
        get => _maxConcurrency;
        init => _maxConcurrency = value is >= 1 and <= 100_000 ? value
            : throw new ArgumentOutOfRangeException(nameof(MaxConcurrency), value, $"{nameof(MaxConcurrency)} is {value}; choose 1 to 100000 requests in flight.");
    }

    /// <summary>
    /// The most requests in flight to one host: scheme, name and port. Default <c>null</c>, no limit but <see cref="MaxConcurrency"/>; 1 to
    /// 100,000. Requests that wait for their host do not delay requests to others until the places of <see cref="MaxConcurrency"/> for waiting are taken.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of range.</exception>
    public int? MaxPerHost
    {
        get => _maxPerHost;
        init => _maxPerHost = value is null or (>= 1 and <= 100_000) ? value
            : throw new ArgumentOutOfRangeException(nameof(MaxPerHost), value, $"{nameof(MaxPerHost)} is {value}; choose 1 to 100000 requests in flight to one host, or null for no limit.");
    }

    /// <summary>The order of the results. Default <see cref="FanOutOrder.Completion"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Not a value of the enumeration.</exception>
    public FanOutOrder Order
    {
        get => _order;
        init => _order = value is FanOutOrder.Completion or FanOutOrder.Input ? value
            : throw new ArgumentOutOfRangeException(nameof(Order), value, $"{nameof(Order)} is {value}; choose {FanOutOrder.Completion} or {FanOutOrder.Input}.");
    }

    /// <summary>The clock of <see cref="FanOutTiming"/>. Default <see cref="TimeProvider.System"/>.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;
}
