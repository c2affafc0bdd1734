using System.Runtime.CompilerServices;
using System.Threading.Tasks.Sources;

namespace Weir.Execution;

/// <summary>
/// The calls of one batch: a window of them under way, made while their results are taken. Whatever ends calls puts their slots on
/// a stack and wakes the enumerating flow if it waits; everything else belongs to that flow.
/// </summary>
/// <typeparam name="T">The result's type.</typeparam>
internal sealed class BatchCalls<T> : IAsyncEnumerable<BatchResult<T>>, IAsyncEnumerator<BatchResult<T>>, IValueTaskSource<bool>, IEndedCalls, IThreadPoolWorkItem
{
    // Calls under way and results not taken, together: enough to keep every worker busy while the flow does not run, few enough to stop early.
    private const int Window = 512;

    private readonly int _count;
    private readonly HoldingInvoker? _invoker;
    private readonly Func<BatchCalls<T>, BatchSlot<T>> _newSlot;
    private readonly CancellationToken _callerToken;

    // The enumerating flow only.
    private CancellationTokenSource? _stopping;
    private EndedCall? _idle;
    private EndedCall? _ready;
    private int _made;
    private int _taken;

    // Whoever ends a call, and the enumerating flow.
    private EndedCall? _ended;
    private int _waits;
    private ManualResetValueTaskSourceCore<bool> _wake;

    public BatchCalls(int count, HoldingInvoker? invoker, Func<BatchCalls<T>, BatchSlot<T>> newSlot, CancellationToken callerToken)
    {
        _count = count;
        _invoker = invoker;
        _newSlot = newSlot;
        _callerToken = callerToken;
    }

    public BatchResult<T> Current { get; private set; }

    private int UnderWay => _made - _taken;

    public IAsyncEnumerator<BatchResult<T>> GetAsyncEnumerator(CancellationToken cancellationToken = default)
    {
        if (_stopping is not null)
        {
            throw new InvalidOperationException("A batch is enumerated once; make another one for the same items.");
        }

        _stopping = CancellationTokenSource.CreateLinkedTokenSource(_callerToken, cancellationToken);
        if (_invoker is not null)
        {
            _invoker.Stopping = _stopping.Token;
        }

        return this;
    }

    // 1. Calls, when half of the window is free. 2. A result that is there. 3. The end, or a wait for the next result.
    public ValueTask<bool> MoveNextAsync()
    {
        _stopping!.Token.ThrowIfCancellationRequested();
        if (_made < _count && UnderWay <= Window / 2)
        {
            MakeCalls();
        }

        if (TryTake())
        {
            return new ValueTask<bool>(true);
        }

        if (UnderWay == 0)
        {
            return new ValueTask<bool>(false);
        }

        return WaitAsync();
    }

    /// <summary>Nobody takes results any more: what is under way is cancelled, and has ended when this ends.</summary>
    public async ValueTask DisposeAsync()
    {
        try
        {
            if (UnderWay > 0)
            {
                await _stopping!.CancelAsync();
            }
        }
        finally
        {
            // Also where somebody who listens to the token threw.
            while (UnderWay > 0)
            {
                if (!TryTake())
                {
                    await WaitForOne();
                }
            }

            _stopping?.Dispose();
        }
    }

    /// <inheritdoc/>
    public IThreadPoolWorkItem? OnEnded(EndedCall last, EndedCall first)
    {
        var top = Volatile.Read(ref _ended);
        while (true)
        {
            first.Next = top;
            var found = Interlocked.CompareExchange(ref _ended, last, top);
            if (found == top)
            {
                break;
            }

            top = found;
        }

        return Interlocked.Exchange(ref _waits, 0) == 1 ? this : null;
    }

    void IThreadPoolWorkItem.Execute() => _wake.SetResult(true);

    bool IValueTaskSource<bool>.GetResult(short token)
    {
        _wake.GetResult(token);
        return TryTake();
    }

    ValueTaskSourceStatus IValueTaskSource<bool>.GetStatus(short token) => _wake.GetStatus(token);

    void IValueTaskSource<bool>.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _wake.OnCompleted(continuation, state, token, flags);

    private void MakeCalls()
    {
        _invoker?.Collect();
        try
        {
            // A call that ends while it is made has run here: its result is not kept waiting for the next one's.
            var hasRun = false;
            while (!hasRun && _made < _count && UnderWay < Window)
            {
                var slot = (BatchSlot<T>?)_idle ?? _newSlot(this);
                _idle = slot.Next;
                slot.Next = null;
                hasRun = slot.Begin(_made++);
            }
        }
        finally
        {
            _invoker?.Release();
        }
    }

    // Who ended a call may see the wait for another one, after its own result was taken: a wake without a result is not the end.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<bool> WaitAsync()
    {
        while (!await WaitForOne())
        {
        }

        return true;
    }

    // False when it was woken for nothing.
    private ValueTask<bool> WaitForOne()
    {
        _wake.Reset();
        Interlocked.Exchange(ref _waits, 1);

        // One that ended before it could see the wait.
        if (Volatile.Read(ref _ended) is not null && Interlocked.Exchange(ref _waits, 0) == 1)
        {
            return new ValueTask<bool>(TryTake());
        }

        return new ValueTask<bool>(this, _wake.Version);
    }

    private bool TryTake()
    {
        if (_ready is null)
        {
            TakeEnded();
        }

        if (_ready is not BatchSlot<T> slot)
        {
            return false;
        }

        _ready = slot.Next;
        Current = slot.TakeResult();
        slot.Next = _idle;
        _idle = slot;
        _taken++;
        return true;
    }

    // The stack has the last one on top; results come in the order in which they ended.
    private void TakeEnded()
    {
        var slot = Interlocked.Exchange(ref _ended, null);
        while (slot is not null)
        {
            var next = slot.Next;
            slot.Next = _ready;
            _ready = slot;
            slot = next;
        }
    }
}
