using Microsoft.AspNetCore.Http;

namespace Weir;

/// <summary>
/// The options for serving over HTTP. First the section <c>Weir:Server</c> of the configuration sets them, then the code of
/// <c>services.Configure&lt;WeirServerOptions&gt;(…)</c>, which sees those values and can override them. Checked when the application
/// starts (WEIR3002).
/// </summary>
public sealed class WeirServerOptions
{
    // Written while the application starts, read by requests.
    private readonly Dictionary<Type, int> _statuses = [];

    /// <summary>The largest <see cref="RequestItemLimit"/>: an item is held in one array.</summary>
    internal const int LargestRequestItemLimit = 1024 * 1024 * 1024;

    /// <summary>
    /// How many bytes of a stream may wait before they are sent. Default 32,768, half of what Kestrel holds for a response
    /// before it makes the writer wait; 1 to 16,777,216.
    /// </summary>
    public int FlushSize { get; set; } = 32 * 1024;

    /// <summary>
    /// How long an item of a stream may wait for more items to be sent with it. Default 5 ms; zero sends every item at once; at
    /// most one minute.
    /// </summary>
    public TimeSpan FlushDelay { get; set; } = TimeSpan.FromMilliseconds(5);

    /// <summary>
    /// After how long a silent stream sends a sign that it is alive: an empty line, a comment, or white space. Default 15 s; at
    /// least 10 ms; <c>null</c> sends none. The first one fixes the response's status.
    /// </summary>
    public TimeSpan? HeartbeatInterval { get; set; } = TimeSpan.FromSeconds(15);

    /// <summary>
    /// How long a reader may take for 64 KB of a stream, before the stream is aborted (WEIR2015). Default 30 s; at least
    /// 10 ms; <c>null</c> means no limit.
    /// </summary>
    public TimeSpan? ReaderStallTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How many unsent bytes the operating system takes for a connection, from its first stream on: it limits how
    /// far a stream runs ahead of a slow reader, but not what is on the network. Only Linux supports it
    /// (<c>TCP_NOTSENT_LOWAT</c>); elsewhere it has no effect. Over HTTP/1.1 a stream waits while the system takes no more, until its reader
    /// has shown that it is fast: the server's own buffer holds little. Default 65,536; 4,096 or more; <c>null</c> leaves the system's own,
    /// which takes megabytes. Connections that serve no stream are not changed.
    /// </summary>
    public int? StreamUnsentLimit { get; set; } = 64 * 1024;

    /// <summary>
    /// How many bytes one item of a streamed request may have (WEIR2017); the whole request has no limit except an endpoint's own. Default
    /// 1,048,576; 1 to 1,073,741,824.
    /// </summary>
    public int RequestItemLimit { get; set; } = 1024 * 1024;

    /// <summary>
    /// How long the sender of a streamed request may take for the next whole item while the operation waits for it, before the call
    /// is ended (WEIR2020). An item that arrives at 240 bytes a second or more, over this time, may take longer; empty lines are no items.
    /// Default 30 s; at least 10 ms; <c>null</c> means no limit.
    /// </summary>
    public TimeSpan? SenderStallTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How many bytes of items a <see cref="Resumption.Buffer"/> stream keeps for a reader whose connection was cut. When they are used up, the oldest items that were
    /// sent are dropped; while no reader is connected, and where none were sent, the producer waits. A reader that asks for a dropped item gets 410 (WEIR2021), so this
    /// must be more than what is on the way to a reader. One item is kept even if it is larger. Default 1,048,576; 16,384 to 1,073,741,824.
    /// </summary>
    public int ResumeBufferSize { get; set; } = 1024 * 1024;

    /// <summary>
    /// How many bytes all <see cref="Resumption.Buffer"/> streams keep together. When they are used up, streams without a reader give way to new ones: those of a caller
    /// that has more than a quarter first, complete ones before running ones, the longest left first; a reader of such a stream gets 410 (WEIR2021). Where all have a
    /// reader, new ones begin as ordinary streams, which a cut ends (WEIR2025), and the running ones keep what they have. Besides its items each stream counts 6 KB. Default 67,108,864; <see cref="ResumeBufferSize"/> or more; <c>null</c>
    /// means no limit.
    /// </summary>
    public long? ResumeMemoryLimit { get; set; } = 64 * 1024 * 1024;

    /// <summary>
    /// How long a <see cref="Resumption.Buffer"/> stream is kept, and its operation runs, while no reader is connected. Afterwards the operation is cancelled, and a reader that
    /// comes back gets 410 (WEIR2021). Default 30 s; at most one day; zero keeps nothing.
    /// </summary>
    public TimeSpan ResumeWindow { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>Whether an argument, or a JSON member, that no parameter asks for is a binding error. Default <c>false</c>: it is ignored.</summary>
    public bool RefuseUnknownArguments { get; set; }

    /// <summary>
    /// Whether problems carry the exception that caused them, with its stack: for development. Default <c>false</c>: what
    /// an operation threw is only in the log.
    /// </summary>
    public bool IncludeExceptionDetails { get; set; }

    /// <summary>
    /// Answers an exception that an operation throws, or one derived from it, with a status instead of 500, and its message as the problem's detail. The nearest
    /// type counts, and <see cref="ThrowsAttribute.Status"/> before it. An exception of an isolated operation has its own type only where <c>[Throws]</c>
    /// declares it; otherwise it is a <see cref="RemoteException"/>. Call it while the application starts.
    /// </summary>
    /// <typeparam name="TException">The exception; none of Weir's own, which have their statuses, but <see cref="RemoteException"/>.</typeparam>
    /// <param name="status">400 to 599.</param>
    /// <returns>These options.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The status is not 400 to 599.</exception>
    /// <exception cref="ArgumentException">The exception is one of Weir's own, or the server's <see cref="BadHttpRequestException"/>, which has its status.</exception>
    public WeirServerOptions MapException<TException>(int status)
        where TException : Exception
    {
        if (status is < 400 or > 599)
        {
            throw new ArgumentOutOfRangeException(nameof(status), status, $"MapException<{typeof(TException).Name}>: set a status from 400 to 599.");
        }

        if (typeof(TException) != typeof(RemoteException) && typeof(TException).IsAssignableTo(typeof(WeirException)))
        {
            throw new ArgumentException($"MapException<{typeof(TException).Name}>: Weir's own exceptions have their statuses; map an exception of the application.", nameof(TException));
        }

        if (typeof(TException).IsAssignableTo(typeof(BadHttpRequestException)))
        {
            throw new ArgumentException($"MapException<{typeof(TException).Name}>: the server's exception for a request that it cannot read has a status of its own; map an exception of the application.", nameof(TException));
        }

        _statuses[typeof(TException)] = status;
        return this;
    }

    /// <summary>The mapped status of the exception's type, or of its nearest base class; <c>null</c> without one.</summary>
    internal int? StatusOf(Exception error)
    {
        for (var type = _statuses.Count == 0 ? null : error.GetType(); type is not null; type = type.BaseType)
        {
            if (_statuses.TryGetValue(type, out var status))
            {
                return status;
            }
        }

        return null;
    }
}
