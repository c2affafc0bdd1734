using System.Diagnostics.CodeAnalysis;

namespace Weir.Execution;

/// <summary>A call of a batch that has no result.</summary>
[SuppressMessage("Reliability", "CA2012", Justification = "The task is kept until it has ended, and then taken once.")]
internal sealed class VoidSlot<TClient, TItem>(BatchCalls<NoResult> batch, HeldClient<TClient> calls, IReadOnlyList<TItem> items, Func<TClient, TItem, ValueTask> call)
    : BatchSlot<NoResult>(batch)
    where TClient : class
{
    private ValueTask _task;

    protected override bool TryMake(int index)
    {
        _task = call(calls.Client, items[index]);
        var made = calls.TakeLast();
        if (_task.IsCompleted)
        {
            return true;
        }

        if (made is not null && made.IsEnding(_task))
        {
            FollowDirectly(made);
        }
        else
        {
            _task.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(OnEndedAction());
        }

        return false;
    }

    protected override NoResult Take()
    {
        var task = _task;
        _task = default;
        task.GetAwaiter().GetResult();
        return default;
    }
}
