namespace Weir.Execution.Processes;

/// <summary>Calls that were made and not sent yet, so that their pools get them in one piece. One flow.</summary>
internal sealed class CallBatch
{
    // Bounded by the window of the batch whose calls they are.
    private readonly List<(PoolExecutor Executor, PoolCall Call)> _calls = [];

    public void Hold(PoolExecutor executor, PoolCall call) => _calls.Add((executor, call));

    /// <summary>Sends what was held.</summary>
    public void Release()
    {
        try
        {
            foreach (var (executor, call) in _calls)
            {
                executor.Enter(call);
            }
        }
        finally
        {
            _calls.Clear();
        }
    }
}
