namespace Weir;

/// <summary>
/// Bounds and order of a fan-out. May be shared by several, each of which then has these bounds for itself. While as many results as
/// <see cref="FanOutLimits.MaxConcurrency"/> wait to be taken, no further requests are read; those in flight may add as many results again. With
/// <see cref="FanOutLimits.MaxPerHost"/>, as many requests again may wait for their host.
/// </summary>
public sealed class FanOutOptions : FanOutLimits
{
    private FanOutOrder _order;

    /// <summary>The order of the results. Default <see cref="FanOutOrder.Completion"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Not a value of the enumeration.</exception>
    public FanOutOrder Order
    {
        get => _order;
        set => _order = value is FanOutOrder.Completion or FanOutOrder.Input ? value
            : throw new ArgumentOutOfRangeException(nameof(Order), value, $"{nameof(Order)} is {value}; choose {FanOutOrder.Completion} or {FanOutOrder.Input}.");
    }

    /// <summary>
    /// Whether equal requests are sent once. Default <c>false</c>. GET and HEAD requests without content and headers of their own are equal when method and absolute
    /// address are, but for the fragment. The later ones have a result without a response, whose <see cref="FanOutResult.DuplicateOf"/> names the first. Takes
    /// about 60 bytes for each different address of the input.
    /// </summary>
    public bool SendsEqualOnce { get; set; }
}
