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

    public static ThreadWait OfThisThread => _ofThisThread ??= new ThreadWait();

    /// <summary>Returns when the call has ended; its ending is not taken.</summary>
    public void For(Call call)
    {
        call.OnEnding(static wait => ((ThreadWait)wait!).Set(), this);
        if (!Poll())
        {
            Sleep();
        }

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
            if (_isSet)
            {
                return true;
            }

            Thread.Yield();
        }
        while (_rule.GoOn(TimeProvider.System.GetTimestamp()));

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
