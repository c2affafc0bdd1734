using System.Threading.Tasks.Sources;

namespace Weir.Runtime;

/// <summary>
/// The outcome of a call that runs elsewhere: set once, from any thread, and taken once. The code that awaits it continues on the
/// thread pool, through the call itself as the work item, so that nothing is allocated.
/// </summary>
internal struct CallCompletion
{
    private const int Open = 0;
    private const int Awaited = 1;
    private const int Ended = 2;

    // Mutable, and never copied.
    private ManualResetValueTaskSourceCore<bool> _core;
    private Exception? _failure;
    private int _stage;

    /// <summary>Which use of the call this is; a token of an earlier one is refused.</summary>
    public readonly short Version => _core.Version;

    /// <summary>Whether the outcome was set and not taken yet.</summary>
    public bool HasEnded => Volatile.Read(ref _stage) == Ended;

    public readonly ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    /// <summary>Sets the outcome.</summary>
    /// <param name="failure">What is thrown to the code that takes the outcome; <c>null</c> when the call succeeded.</param>
    /// <returns>Whether it is still to be published, on the thread pool, because code already awaits it.</returns>
    /// <exception cref="InvalidOperationException">The outcome was set before.</exception>
    public bool End(Exception? failure)
    {
        // Step 9 of an isolated call (docs/architecture.md): the code that awaits it continues on another thread.
        if (Volatile.Read(ref _stage) == Ended)
        {
            throw new InvalidOperationException("The call is already complete.");
        }

        _failure = failure;
        if (Interlocked.Exchange(ref _stage, Ended) == Awaited)
        {
            return true;
        }

        // Nothing awaits it yet. A continuation that is registered at this very moment must not run on this thread.
        _core.RunContinuationsAsynchronously = true;
        Publish();
        return false;
    }

    /// <summary>Runs the waiting continuation, on this thread.</summary>
    public void Publish()
    {
        if (_failure is null)
        {
            _core.SetResult(true);
        }
        else
        {
            _core.SetException(_failure);
        }
    }

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        if (token == _core.Version)
        {
            Interlocked.CompareExchange(ref _stage, Awaited, Open);
        }

        _core.OnCompleted(continuation, state, token, flags);
    }

    /// <summary>Takes the outcome and resets: from now on the token is an old one.</summary>
    /// <exception cref="InvalidOperationException">The token is an old one, or there is no outcome yet; nothing has changed.</exception>
    public void Take(short token)
    {
        if (_core.GetStatus(token) == ValueTaskSourceStatus.Pending)
        {
            throw new InvalidOperationException("The call is not complete. Await it, or wait for it with AsTask().");
        }

        try
        {
            _core.GetResult(token);
        }
        finally
        {
            _core.Reset();
            _core.RunContinuationsAsynchronously = false;
            _failure = null;
            Volatile.Write(ref _stage, Open);
        }
    }
}
