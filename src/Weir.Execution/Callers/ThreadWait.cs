using Weir.Execution.Processes;
using Weir.Protocol;

namespace Weir.Execution;

/// <summary>How one thread waits for the ending of a call: it looks for a moment, then sleeps until the ending wakes it.</summary>
internal sealed class ThreadWait
{
    [ThreadStatic]
    private static ThreadWait? _ofThisThread;

    private readonly object _signal = new();
    private SpinRule _rule = new(TimeProvider.System.TimestampFrequency);

    // Written under _signal.
    private volatile bool _isSet;

    // The thread's own: the call it is about to wait for, and who reads the answer where this thread may do so by itself.
    private Call? _expected;
    private IAnswerReader? _reader;

    public static ThreadWait OfThisThread => _ofThisThread ??= new ThreadWait();

    /// <summary>Reads the answer, where this thread may do so by itself. Set while this thread gives the call to a worker.</summary>
    public IAnswerReader Reader
    {
        set => _reader = value;
    }

    /// <summary>Whether it is this thread that waits.</summary>
    public bool IsOfThisThread => _ofThisThread == this;

    /// <summary>This thread's, if it is about to wait for the call.</summary>
    public static ThreadWait? Of(Call call) => _ofThisThread is { } wait && wait._expected == call ? wait : null;

    /// <summary>This thread is about to wait for a call; <see cref="For"/> or <see cref="Forgo"/> follows.</summary>
    public void Expect(Call call)
    {
        _expected = call;
        _reader = null;
    }

    /// <summary>It does not poll for it after all.</summary>
    public void Forgo()
    {
        _expected = null;
        _reader?.Wake();
        _reader = null;
    }

    /// <summary>Returns when the call has ended; its ending is not taken.</summary>
    public void For(Call call)
    {
        _expected = null;
        call.OnEnding(static wait => ((ThreadWait)wait!).Set(), this);
        try
        {
            if (!Poll())
            {
                _reader?.Wake();
                Sleep();
            }
        }
        catch
        {
            // Interrupted: the ending of this call would be taken for that of the next. That gets a fresh one.
            _ofThisThread = null;
            _reader?.Wake();
            throw;
        }

        // A worker that is gone is not to be held by a thread that calls no more.
        _reader = null;
        _isSet = false;
    }

    private bool Poll()
    {
        if (!_rule.Begin(TimeProvider.System.GetTimestamp()))
        {
            return false;
        }

        do
        {
            _reader?.TryReadAhead(null);
            if (_isSet)
            {
                return true;
            }

            Thread.Yield();
        }
        while (_rule.GoOn(TimeProvider.System.GetTimestamp()));

        if (_rule.BarredFor(TimeProvider.System.GetTimestamp()) is var penalty && penalty > TimeSpan.Zero)
        {
            _reader?.Bar(penalty);
        }

        return false;
    }

    private void Sleep()
    {
        lock (_signal)
        {
            while (!_isSet)
            {
                Monitor.Wait(_signal);
            }
        }
    }

    private void Set()
    {
        lock (_signal)
        {
            _isSet = true;
            Monitor.Pulse(_signal);
        }
    }
}
