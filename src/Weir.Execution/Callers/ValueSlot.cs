using System.Diagnostics.CodeAnalysis;

namespace Weir.Execution;

/// <summary>A call of a batch that has a result.</summary>
[SuppressMessage("Reliability", "CA2012", Justification = "The task is kept until it has ended, and then taken once.")]
internal sealed class ValueSlot<TClient, TItem, T>(BatchCalls<T> batch, HeldClient<TClient> calls, IReadOnlyList<TItem> items, Func<TClient, TItem, ValueTask<T>> call)
    : BatchSlot<T>(batch)
    where TClient : class
{
    private ValueTask<T> _task;

    protected override bool TryMake(int index)
    {
        _task = call(calls.Client, items[index]);
        var made = calls.TakeLast();
        if (_task.IsCompleted)
        {
            return true;
        }

        if (made is Call<T> own && own.IsEnding(_task))
        {
            FollowDirectly(own);
        }
        else
        {
            _task.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(OnEndedAction());
        }

        return false;
    }

    protected override T Take()
    {
        var task = _task;
        _task = default;
        return task.GetAwaiter().GetResult();
    }
}
