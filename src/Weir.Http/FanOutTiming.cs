namespace Weir;

/// <summary>How long one request of a fan-out took.</summary>
/// <param name="Queued">From when the request was read to when it was sent: it waited for <see cref="FanOutLimits.MaxConcurrency"/>, <see cref="FanOutLimits.MaxPerHost"/> or a delay that its host asked for.</param>
/// <param name="FirstByte">From when it was sent to the headers of its response; <c>null</c> when there was none.</param>
/// <param name="Total">From when it was sent to when its response was read, or the request failed.</param>
public readonly record struct FanOutTiming(TimeSpan Queued, TimeSpan? FirstByte, TimeSpan Total);
