namespace Weir;

/// <summary>What a load test sends, how much of it and when. Not changed while a test runs; may be used for several tests, also at the same time.</summary>
public sealed class LoadOptions
{
    private static readonly TimeSpan LongestTimeout = TimeSpan.FromHours(1);

    /// <summary>Where the requests go: an absolute address, <c>http</c> or <c>https</c>. A name is resolved once, when the test begins.</summary>
    /// <exception cref="ArgumentException">Not absolute, or another scheme.</exception>
    public required Uri Address
    {
        get;
        init => field = value is { IsAbsoluteUri: true, Scheme: "http" or "https" } ? value
            : throw new ArgumentException($"{nameof(Address)} is '{value}'; give an absolute address that begins with http:// or https://.", nameof(Address));
    }

    /// <summary>
    /// Connections, each with one request in flight at most; over HTTP/2, requests in flight. Default 50, 1 to 100,000. Without
    /// <see cref="Rate"/> each sends its next request when the last one has ended; with it, a request that is due while all are busy waits
    /// for one of them, and its response time counts from when it was due.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of range.</exception>
    public int Connections
    {
        get;
        init => field = value is >= 1 and <= 100_000 ? value
            : throw new ArgumentOutOfRangeException(nameof(Connections), value, $"{nameof(Connections)} is {value}; choose 1 to 100000 connections.");
    } = 50;

    /// <summary>How many requests are sent. Default <c>null</c>: as many as <see cref="Duration"/> allows; from 1. Not with <see cref="Duration"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of range.</exception>
    public long? Requests
    {
        get;
        init => field = value is null or >= 1 ? value
            : throw new ArgumentOutOfRangeException(nameof(Requests), value, $"{nameof(Requests)} is {value}; send 1 request at least.");
    }

    /// <summary>
    /// For how long requests are sent; those in flight at the end may still end, within <see cref="Timeout"/>. Default <c>null</c>: 10 seconds,
    /// or until <see cref="Requests"/> are sent; above zero, up to 30 days. Not with <see cref="Requests"/>.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of range.</exception>
    public TimeSpan? Duration
    {
        get;
        init => field = value is null || (value > TimeSpan.Zero && value <= TimeSpan.FromDays(30)) ? value
            : throw new ArgumentOutOfRangeException(nameof(Duration), value, $"{nameof(Duration)} is {value}; choose more than zero, up to 30 days.");
    }

    /// <summary>
    /// Requests per second, sent when they are due, whether or not the server keeps up (the open model). Default <c>null</c>: as fast as
    /// <see cref="Connections"/> requests in flight allow (the closed model). 0.001 to 10,000,000. Nothing that is due is skipped.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of range, or not a number.</exception>
    public double? Rate
    {
        get;
        init => field = value is null or (>= 0.001 and <= 10_000_000) ? value
            : throw new ArgumentOutOfRangeException(nameof(Rate), value, $"{nameof(Rate)} is {value}; choose 0.001 to 10000000 requests per second, or null for as many as the connections allow.");
    }

    /// <summary>
    /// Whether the gaps between requests are random, exponentially distributed, as of many users who do not know of each other. Default
    /// <c>false</c>: all gaps are equal. Only with <see cref="Rate"/>.
    /// </summary>
    public bool IsPoisson { get; init; }

    /// <summary>Where the random numbers of <see cref="IsPoisson"/> begin: two tests with one seed send at the same times. Default 1.</summary>
    public int Seed { get; init; } = 1;

    /// <summary>The method of each request. Default GET. Not CONNECT.</summary>
    /// <exception cref="ArgumentException">CONNECT.</exception>
    public HttpMethod Method
    {
        get;
        init
        {
            ArgumentNullException.ThrowIfNull(value);
            field = value != HttpMethod.Connect ? value : throw new ArgumentException($"{nameof(Method)} is CONNECT, which opens a tunnel; choose another method.", nameof(Method));
        }
    } = HttpMethod.Get;

    /// <summary>
    /// Headers of each request, in this order; a name may occur more than once. Default none: a request has <c>Host</c>, and <c>Content-Length</c>
    /// with a body. A <c>Host</c> here replaces the one of <see cref="Address"/>.
    /// </summary>
    /// <exception cref="ArgumentException">A name that is no token, a value with a line break, or <c>Content-Length</c>, <c>Transfer-Encoding</c> or <c>Connection</c>, which the test sets.</exception>
    public IReadOnlyList<KeyValuePair<string, string>> Headers
    {
        get;
        init => field = Load.Requests.HeaderRules.Checked(value);
    } = [];

    /// <summary>The body of each request. Default <c>null</c>, none. Not copied: its bytes must not change during a test.</summary>
    public ReadOnlyMemory<byte>? Body { get; init; }

    /// <summary>The version of HTTP: 1.1 or 2. Default 1.1. Version 2 without TLS needs a server that expects it on this port (prior knowledge).</summary>
    /// <exception cref="ArgumentOutOfRangeException">Another version.</exception>
    public Version HttpVersion
    {
        get;
        init => field = value == System.Net.HttpVersion.Version11 || value == System.Net.HttpVersion.Version20 ? value
            : throw new ArgumentOutOfRangeException(nameof(HttpVersion), value, $"{nameof(HttpVersion)} is {value}; choose 1.1 or 2.0.");
    } = System.Net.HttpVersion.Version11;

    /// <summary>
    /// Whether any certificate of the server is accepted, also one that is self-signed, expired or of another host. Default <c>false</c>: a test of a server whose
    /// certificate is not trusted does not begin. For servers of your own: an attacker between client and server is accepted, too.
    /// </summary>
    public bool AcceptsAnyCertificate { get; init; }

    /// <summary>
    /// Whether responses are read item by item: <see cref="LoadReport.FirstByte"/> and <see cref="LoadReport.ItemGap"/>. An item is a line of
    /// NDJSON (<c>application/x-ndjson</c>, <c>application/jsonl</c>), an event with data of <c>text/event-stream</c>, and else a piece of the body as
    /// it arrives. Default <c>false</c>.
    /// </summary>
    public bool IsStream { get; init; }

    /// <summary>
    /// After how many items the connection of a stream is closed by the client, which counts as success. Default <c>null</c>: streams are read
    /// to their end; from 1. Only with <see cref="IsStream"/>.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of range.</exception>
    public int? AbortAfter
    {
        get;
        init => field = value is null or >= 1 ? value
            : throw new ArgumentOutOfRangeException(nameof(AbortAfter), value, $"{nameof(AbortAfter)} is {value}; read 1 item at least.");
    }

    /// <summary>
    /// How long a request may take from when it is sent; of a stream, how long nothing may arrive. One that takes longer is an error "timed out",
    /// and its connection is replaced. Default 30 seconds; 1 millisecond to 1 hour. Noticed up to 100 milliseconds late.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of range.</exception>
    public TimeSpan Timeout
    {
        get;
        init => field = value >= TimeSpan.FromMilliseconds(1) && value <= LongestTimeout ? value
            : throw new ArgumentOutOfRangeException(nameof(Timeout), value, $"{nameof(Timeout)} is {value}; choose 1 millisecond to 1 hour.");
    } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// For how long requests are sent, and not counted, before the test begins: the first requests of a process measure its compiler. Default zero; up to
    /// 1 hour. Not with <see cref="Requests"/>.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of range.</exception>
    public TimeSpan WarmUp
    {
        get;
        init => field = value >= TimeSpan.Zero && value <= TimeSpan.FromHours(1) ? value
            : throw new ArgumentOutOfRangeException(nameof(WarmUp), value, $"{nameof(WarmUp)} is {value}; choose zero to 1 hour.");
    }

    /// <summary>How long the test sends when nothing else is said.</summary>
    internal static TimeSpan DefaultDuration { get; } = TimeSpan.FromSeconds(10);

    /// <summary>Throws an <see cref="ArgumentException"/> when options contradict each other.</summary>
    internal void Check()
    {
        if (Requests is { } requests && Duration is { } duration)
        {
            throw new ArgumentException($"{nameof(Requests)} is {requests} and {nameof(Duration)} is {duration}; set one of them.");
        }

        if (Requests is { } number && WarmUp > TimeSpan.Zero)
        {
            throw new ArgumentException($"{nameof(WarmUp)} is {WarmUp} and {nameof(Requests)} is {number}; a warm-up needs {nameof(Duration)} instead.");
        }

        if (IsPoisson && Rate is null)
        {
            throw new ArgumentException($"{nameof(IsPoisson)} is true and {nameof(Rate)} is null; set the rate whose gaps are to be random.");
        }

        if (AbortAfter is { } items && !IsStream)
        {
            throw new ArgumentException($"{nameof(AbortAfter)} is {items} and {nameof(IsStream)} is false; set {nameof(IsStream)}, or leave {nameof(AbortAfter)} out.");
        }
    }
}
