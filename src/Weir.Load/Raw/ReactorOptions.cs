namespace Weir.Load.Raw;

/// <summary>How a reactor reads responses.</summary>
internal sealed class ReactorOptions
{
    /// <summary>Whether its thread goes before others, where it is allowed that: as a client on a machine of its own would.</summary>
    public bool IsUrgent { get; init; }

    /// <summary>Whether requests are HEAD requests.</summary>
    public bool IsHead { get; init; }

    /// <summary>Whether responses are read item by item.</summary>
    public bool IsStream { get; init; }

    /// <summary>After how many items a stream is closed.</summary>
    public long AbortAfter { get; init; } = long.MaxValue;

    /// <summary>How long a request may take, or a stream may be silent.</summary>
    public TimeSpan Timeout { get; init; } = TimeSpan.MaxValue;
}
