using System.Diagnostics.CodeAnalysis;
using System.Threading.Channels;

namespace Weir.Execution.Batching;

/// <summary>
/// One call of a batch; reused for further calls. Used by the enumerating flow; only the completion runs on any thread, and passes the
/// call back to that flow.
/// </summary>
/// <typeparam name="T">The result's type.</typeparam>
/// <param name="completed">Receives the call when it has completed.</param>
[SuppressMessage("Reliability", "CA2012", Justification = "The task is kept until it has completed, and then taken once.")]
internal sealed class BatchCall<T>(ChannelWriter<BatchCall<T>> completed)
{
    private Action? _onCompleted;
    private ValueTask<T> _task;
    private int _index;

    /// <summary>Makes the call of one item.</summary>
    /// <returns>Whether it has completed already.</returns>
    public bool Start(int index, Func<int, ValueTask<T>> call)
    {
        _index = index;
        try
        {
            _task = call(index);
            if (!_task.IsCompleted)
            {
                _task.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(_onCompleted ??= OnCompleted);
                return false;
            }
        }
        catch (Exception failure)
        {
            // The user's code makes the call; what it throws is the result of this item only.
            _task = ValueTask.FromException<T>(failure);
        }

        OnCompleted();
        return true;
    }

    /// <summary>Takes the result of a completed call, once. It is decoded here.</summary>
    public BatchResult<T> TakeResult()
    {
        var task = _task;
        _task = default;
        try
        {
            return new BatchResult<T>(_index, task.GetAwaiter().GetResult(), null);
        }
        catch (Exception failure)
        {
            return new BatchResult<T>(_index, default!, failure);
        }
    }

    private void OnCompleted() => completed.TryWrite(this);
}
