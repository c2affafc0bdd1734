namespace Weir.AspNetCore.Streaming;

/// <summary>
/// Notes when the token of a stream's request fires, and aborts the response if it is still open a second later: a reader that takes
/// nothing, or a producer that ignores its token, must not delay the client's error. A response that has not begun is not
/// aborted, because it can still be an ordinary answer.
/// </summary>
internal sealed class CancelledStream(ResponseStream stream, StreamSettings settings) : IAsyncDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(1);

    private CancellationTokenRegistration _registration;
    private CancellationToken _own;
    private CancellationToken _given;
    private bool _isShutDown;
    private ITimer? _timer;
    private long _at;

    /// <summary>Registers with the token. Called once.</summary>
    /// <param name="cancellationToken">The stream's own.</param>
    /// <param name="given">The token of the request that fires it; otherwise only a shutdown does.</param>
    internal void Watch(CancellationToken cancellationToken, CancellationToken given)
    {
        _own = cancellationToken;
        _given = given;
        _registration = cancellationToken.UnsafeRegister(static state => ((CancelledStream)state!).OnCancelled(), this);
    }

    /// <summary>Whether a shutdown of the host fired the token, and not the request's own. After the token has fired.</summary>
    /// <remarks>What waits for the token may continue before the callback here has run.</remarks>
    internal bool IsShutDown => Volatile.Read(ref _at) != 0 ? _isShutDown : _own.IsCancellationRequested && !_given.IsCancellationRequested;

    /// <summary>How long ago the token fired; zero if it is firing now.</summary>
    internal TimeSpan SinceThen() => Volatile.Read(ref _at) is var at and not 0 ? settings.ToTimeSpan(settings.Now() - at) : TimeSpan.Zero;

    /// <summary>Completes when no callback of this uses the response any more.</summary>
    public async ValueTask DisposeAsync()
    {
        await _registration.DisposeAsync();
        if (_timer is { } timer)
        {
            await timer.DisposeAsync();
        }
    }

    // A callback must not throw: the code that cancels the token would get the exception, or the process would end.
    private void OnCancelled()
    {
        try
        {
            // Now, because aborting the response fires the request's own token as well.
            _isShutDown = !_given.IsCancellationRequested;
            Volatile.Write(ref _at, settings.Now());
            _timer = settings.Time.CreateTimer(static state => Abort((ResponseStream)state!), stream, Patience, Patience);
        }
        catch (Exception)
        {
            stream.Stall();
        }
    }

    private static void Abort(ResponseStream stream)
    {
        try
        {
            stream.AbortBegun();
        }
        catch (Exception)
        {
            // The timer tries again.
        }
    }
}
