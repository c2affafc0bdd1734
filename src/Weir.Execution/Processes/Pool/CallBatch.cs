using System.Runtime.InteropServices;

namespace Weir.Execution.Processes;

/// <summary>Calls that were made and not sent yet, so that their pools get them in one piece. One flow, but for who comes too late.</summary>
internal sealed class CallBatch
{
    // Bounded by the window of the batch whose calls they are. One pool mostly; a client may call several.
    private readonly List<PoolCall> _calls = [];
    private PoolExecutor? _executor;

    // The id of the thread that makes calls now. A call from elsewhere, or from later, is sent at once: a filter may have waited.
    private volatile int _collector;

    /// <summary>Whether this thread makes calls of the batch now.</summary>
    public bool IsCollecting => _collector == Environment.CurrentManagedThreadId;

    public void Collect() => _collector = Environment.CurrentManagedThreadId;

    /// <summary>Takes a call; <c>false</c> when it is not to be held.</summary>
    public bool TryHold(PoolExecutor executor, PoolCall call)
    {
        if (!IsCollecting)
        {
            return false;
        }

        if (_executor != executor)
        {
            Send();
            _executor = executor;
        }

        _calls.Add(call);
        return true;
    }

    /// <summary>Sends what was held since <see cref="Collect"/>.</summary>
    public void Release()
    {
        _collector = 0;
        Send();
    }

    private void Send()
    {
        if (_calls.Count > 0)
        {
            _executor!.EnterAll(CollectionsMarshal.AsSpan(_calls));
            _calls.Clear();
        }
    }
}
