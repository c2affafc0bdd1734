namespace Weir.Execution;

/// <summary>How one thread waits for the ending of a call: it looks for a moment, then sleeps until the ending wakes it.</summary>
internal sealed class ThreadWait
{
    [ThreadStatic]
    private static ThreadWait? _ofThisThread;

    private readonly object _signal = new();
    private bool _isSet; // Under _signal.

    public static ThreadWait OfThisThread => _ofThisThread ??= new ThreadWait();

    /// <summary>Returns when the call has ended; its ending is not taken.</summary>
    public void For(Call call)
    {
        call.OnEnding(static wait => ((ThreadWait)wait!).Set(), this);
        lock (_signal)
        {
            while (!_isSet)
            {
                Monitor.Wait(_signal);
            }

            _isSet = false;
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
