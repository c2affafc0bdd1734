namespace Weir;

/// <summary>What a load test measured. Does not change.</summary>
/// <remarks>
/// Times count every request that was answered, with whatever status, and those that timed out, with the time that they had taken by then; not those whose
/// connection broke or could not be opened.
/// </remarks>
public sealed class LoadReport
{
    private const double LateMilliseconds = 10;

    internal LoadReport()
    {
    }

    /// <summary>Requests that ended, with success or not.</summary>
    public required long Requests { get; init; }

    /// <summary>Requests that failed: a status of 400 or above, or no complete response.</summary>
    public required long Errors { get; init; }

    /// <summary>
    /// <see cref="Errors"/> by their kind: <c>status 503</c>, <c>timed out</c>, <c>connection refused</c>, <c>connection closed</c>,
    /// <c>connection failed</c>, <c>TLS failed</c>, <c>invalid response</c>; and in the open model <c>not sent</c>, for requests that no connection was free for until
    /// <see cref="LoadOptions.Timeout"/> after the end.
    /// </summary>
    public required IReadOnlyDictionary<string, long> ErrorsByKind { get; init; }

    /// <summary>Requests that were due, and had not ended when the test was stopped early. In no other figure; zero unless <see cref="IsStopped"/>.</summary>
    public required long Unfinished { get; init; }

    /// <summary>Whether the test was stopped early: the figures are those of a part of it.</summary>
    public required bool IsStopped { get; init; }

    /// <summary>Requests that succeeded, per second of <see cref="Seconds"/>; not those that ended after it.</summary>
    public required double Rate { get; init; }

    /// <summary>For how long the test measured: <see cref="LoadOptions.Duration"/>; with <see cref="LoadOptions.Requests"/>, until the last one ended; until it was stopped early.</summary>
    public required double Seconds { get; init; }

    /// <summary>Bytes received. Over HTTP/1.1 without TLS, on Linux, all of them; else the bytes of bodies.</summary>
    public required long BytesReceived { get; init; }

    /// <summary>Items of streams; zero unless <see cref="LoadOptions.IsStream"/>.</summary>
    public required long Items { get; init; }

    /// <summary>From when a request was sent to the end of its response: how long the server took.</summary>
    public required LatencySummary ServiceTime { get; init; }

    /// <summary>
    /// From when a request should have been sent to the end of its response: how long a user waited. A stall of the server counts for every request
    /// that was due during it. In the closed model nothing is due at a certain time: equal to <see cref="ServiceTime"/>.
    /// </summary>
    public required LatencySummary ResponseTime { get; init; }

    /// <summary>
    /// How late requests left although a connection was free: the delay of the generator itself, part of <see cref="ResponseTime"/>. The closed model has
    /// none: <see cref="LatencySummary.Count"/> is zero.
    /// </summary>
    public required LatencySummary Lateness { get; init; }

    /// <summary>
    /// How long requests that were due waited because every connection was busy, part of <see cref="ResponseTime"/>. The closed model has none. Where it is
    /// large, the server is too slow for the rate, or <see cref="LoadOptions.Connections"/> too few.
    /// </summary>
    public required LatencySummary ConnectionWait { get; init; }

    /// <summary>From when a request was sent to the first bytes of its response; <c>null</c> unless <see cref="LoadOptions.IsStream"/>.</summary>
    public required LatencySummary? FirstByte { get; init; }

    /// <summary>
    /// Between two items of a stream, as they arrived; items that arrived together have a gap of zero. <c>null</c> unless
    /// <see cref="LoadOptions.IsStream"/>.
    /// </summary>
    public required LatencySummary? ItemGap { get; init; }

    /// <summary>Whether more than 1 % of the requests left over 10 milliseconds late: the figures describe the generator, not the server.</summary>
    public bool IsGeneratorLate => Lateness.P99 > LateMilliseconds;
}
