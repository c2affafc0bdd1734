namespace Weir.Execution;

/// <summary>One call under way of a batch, and then another one.</summary>
/// <typeparam name="T">The result's type.</typeparam>
internal abstract class BatchSlot<T>(BatchCalls<T> batch) : EndedCall
{
    private Action? _onEnded;
    private Exception? _failure;

    public int Index { get; private set; }

    /// <summary>Makes the call of one item; <see cref="BatchCalls{T}.OnEnded"/> follows.</summary>
    /// <returns>Whether it has followed already.</returns>
    public bool Begin(int index)
    {
        Index = index;
        _failure = null;
        try
        {
            if (!TryMake(index))
            {
                return false;
            }
        }
        catch (Exception failure)
        {
            // Whatever makes the call is the user's code.
            _failure = failure;
        }

        OnEnded();
        return true;
    }

    /// <summary>How the call ended. Once, on the enumerating flow, where results are decoded.</summary>
    public BatchResult<T> TakeResult()
    {
        try
        {
            return new BatchResult<T>(Index, _failure is null ? Take() : default!, _failure);
        }
        catch (Exception failure)
        {
            return new BatchResult<T>(Index, default!, failure);
        }
    }

    /// <summary>Makes the call. <c>true</c> when it has ended already; otherwise <see cref="OnEnded"/> is called when it has.</summary>
    protected abstract bool TryMake(int index);

    protected abstract T Take();

    protected void OnEnded() => EndedTogether.Add(batch, this);

    /// <summary>A call itself wakes the batch from wherever it ends: what runs then is nobody's code.</summary>
    protected void FollowDirectly(Call call) => call.OnEnding(static slot => ((BatchSlot<T>)slot!).OnEnded(), this);

    protected Action OnEndedAction() => _onEnded ??= OnEnded;
}
