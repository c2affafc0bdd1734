using System.Runtime.InteropServices;

namespace Weir.Execution.Processes;

/// <summary>Calls that were made and not sent yet, so that their pools get them in one piece. One flow.</summary>
internal sealed class CallBatch
{
    // Bounded by the window of the batch whose calls they are. One pool mostly; a client may call several.
    private readonly List<PoolCall> _calls = [];
    private PoolExecutor? _executor;

    public void Hold(PoolExecutor executor, PoolCall call)
    {
        if (_executor != executor)
        {
            Release();
            _executor = executor;
        }

        _calls.Add(call);
    }

    /// <summary>Sends what was held.</summary>
    public void Release()
    {
        if (_calls.Count > 0)
        {
            _executor!.EnterAll(CollectionsMarshal.AsSpan(_calls));
            _calls.Clear();
        }
    }
}
