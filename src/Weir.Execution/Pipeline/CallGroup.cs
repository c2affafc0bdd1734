using System.Runtime.InteropServices;

namespace Weir.Execution.Pipeline;

/// <summary>
/// Calls that one flow makes one after the other and that start together: an executor that can start many at once adds its calls here
/// instead of starting each separately. Used by that flow; a call from another thread is never added.
/// </summary>
internal sealed class CallGroup
{
    // The id of the thread that makes calls of the group now; 0 for none. Other threads read it: a filter may have continued on another thread.
    private volatile int _collectingThread;

    // Only the collecting thread uses it. The calls of one executor; a client may use several, one after the other.
    private Calls? _calls;

    /// <summary>From now on calls that this thread makes are added.</summary>
    public void Collect() => _collectingThread = Environment.CurrentManagedThreadId;

    /// <summary>Adds a call.</summary>
    /// <returns><c>false</c> when the group does not collect on this thread: the executor starts the call itself.</returns>
    public bool TryAdd<TCall>(IGroupExecutor<TCall> executor, TCall call)
    {
        if (_collectingThread != Environment.CurrentManagedThreadId)
        {
            return false;
        }

        if (_calls is not Calls<TCall> calls || calls.Executor != executor)
        {
            _calls?.Start();
            _calls = calls = new Calls<TCall>(executor);
        }

        calls.Add(call);
        return true;
    }

    /// <summary>Starts the calls that were added since <see cref="Collect"/>, and adds no more.</summary>
    public void Start()
    {
        _collectingThread = 0;
        _calls?.Start();
    }

    private abstract class Calls
    {
        public abstract void Start();
    }

    private sealed class Calls<TCall>(IGroupExecutor<TCall> executor) : Calls
    {
        // Bounded by the window of the batch that made the calls.
        private readonly List<TCall> _calls = [];

        public IGroupExecutor<TCall> Executor => executor;

        public void Add(TCall call) => _calls.Add(call);

        public override void Start()
        {
            if (_calls.Count > 0)
            {
                executor.StartAll(CollectionsMarshal.AsSpan(_calls));
                _calls.Clear();
            }
        }
    }
}
