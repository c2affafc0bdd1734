using System.Runtime.InteropServices;

namespace Weir.Execution.Processes;

/// <summary>
/// Many callers whose calls ended together. One thread of the thread pool goes on with all of them, brings the calls that they make
/// meanwhile to the pool in one piece, and reads the next answers itself: neither a caller nor a call costs a turn of its own of the
/// thread pool, of the pool's lock, or of another processor's cache.
/// </summary>
/// <remarks>
/// Whoever blocks this thread holds nobody else for long: the readers, who nap meanwhile, notice within two naps and give the burst
/// up. What is left of it then goes where it would have gone without it.
/// </remarks>
/// <param name="bursts">The pool's, which is told of the end.</param>
/// <param name="poll">How it waits for the next answers.</param>
internal sealed class CallBurst(PoolBursts bursts, AnswerPoll poll) : IResumer, IThreadPoolWorkItem
{
    /// <summary>With fewer endings at once, a burst costs more than it saves.</summary>
    public const int Least = 16;

    // The pool's lock is held for so many decisions at the most.
    private const int MostHeld = 64;

    // Turns of the thread pool in a row without an answer. Whoever was before it has had a turn by then, and their calls are under way.
    private const int MostEmptyTurns = 4;

    [ThreadStatic]
    private static CallBurst? _ofThisThread;

    private readonly Lock _gate = new();

    // Changed under _gate: callers that are to go on, bounded by the calls that were under way, and how many of those ended; calls that
    // were made and are not the pool's yet.
    private readonly Queue<IThreadPoolWorkItem> _continuations = new();
    private readonly BurstReaders _readers = new();
    private List<PoolCall> _held = [];
    private PoolExecutor? _executor;
    private int _endings;
    private int _entering;              // Threads that bring the pool what was held; less one when each is done.
    private volatile bool _isOver;

    // Whoever goes on with it, one thread after the other: calls on their way to the pool, how often many callers went on, and turns
    // without an answer.
    private List<PoolCall> _sending = [];
    private int _rounds;
    private int _emptyTurns;

    /// <summary>What this thread goes on with just now; <c>null</c> for nothing.</summary>
    public static CallBurst? OfThisThread => _ofThisThread;

    /// <inheritdoc/>
    public bool IsFree => Volatile.Read(ref _endings) == 0;

    /// <inheritdoc/>
    public bool TryTake(IThreadPoolWorkItem continuation, int endings)
    {
        lock (_gate)
        {
            if (_isOver)
            {
                return false;
            }

            _continuations.Enqueue(continuation);
            _endings += endings;
            return true;
        }
    }

    /// <summary>It goes on with a worker's callers too, and reads that worker's answers. The worker's reader.</summary>
    /// <returns><c>false</c> when it has ended.</returns>
    public bool TryAdd(IBurstReader reader, EndedCallers callers)
    {
        lock (_gate)
        {
            if (_isOver)
            {
                return false;
            }

            _readers.Add(reader);
            _endings += callers.Endings;
            callers.MoveTo(_continuations);
            return true;
        }
    }

    /// <summary>Holds a call until all callers have gone on. On the thread that goes on with them; its arguments are written.</summary>
    /// <param name="executor">Enters it.</param>
    /// <param name="call">The call.</param>
    /// <param name="of">The bursts of its pool.</param>
    /// <returns><c>false</c> when it is not to be held.</returns>
    public bool TryHold(PoolExecutor executor, PoolCall call, PoolBursts of)
    {
        bool isFull;
        lock (_gate)
        {
            if (_isOver || of != bursts)
            {
                return false;
            }

            _executor = executor;
            _held.Add(call);
            isFull = _held.Count == MostHeld;
        }

        if (isFull)
        {
            Send();
        }

        return true;
    }

    /// <summary>A reader reads again. If the burst has not ended, it does: every caller goes on by itself, every call is the pool's, every reader reads.</summary>
    public void GiveUp(IBurstReader reader)
    {
        IThreadPoolWorkItem[] rest;
        PoolCall[] held;
        IBurstReader[] others;
        lock (_gate)
        {
            _readers.Remove(reader);
            others = End_NeedsGate();
            rest = [.. _continuations];
            _continuations.Clear();
            held = TakeHeld_NeedsGate();
        }

        foreach (var continuation in rest)
        {
            ThreadPool.UnsafeQueueUserWorkItem(continuation, preferLocal: false);
        }

        Enter(held);
        Tell(others, rounds: 0);
    }

    /// <summary>Every call that was made so far is the pool's when this returns. Any thread.</summary>
    public void LetGo()
    {
        PoolCall[] held;
        lock (_gate)
        {
            held = TakeHeld_NeedsGate();
        }

        Enter(held);

        // Those that are on their way already: for microseconds, and no code of a caller is in between.
        SpinWait.SpinUntil(() => Volatile.Read(ref _entering) == 0);
    }

    // 1. Callers go on, and what they call is held; then the pool gets it. 2. The next answers, as long as they are many. Where
    // something else waits for a thread, that has its turn first.
    void IThreadPoolWorkItem.Execute()
    {
        _ofThisThread = this;
        try
        {
            Run(ExecutionContext.Capture());
        }
        finally
        {
            _ofThisThread = null;
        }
    }

    private void Run(ExecutionContext? context)
    {
        while (true)
        {
            var endings = GoOn(context);
            if (_isOver || (endings < Least && _emptyTurns == 0))
            {
                break;
            }

            _rounds++;
            if (poll.IsNeeded)
            {
                if (TryTakeTurn())
                {
                    ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
                    return;
                }

                break;
            }

            _emptyTurns = 0;
            if (!poll.TryPoll(_readers, this))
            {
                break;
            }
        }

        End();

        // What a reader brought in the last moment.
        GoOn(context);
    }

    private bool TryTakeTurn()
    {
        if (!_readers.TryReadAhead(this))
        {
            return false;
        }

        _emptyTurns = IsFree ? _emptyTurns + 1 : 0;
        return _emptyTurns < MostEmptyTurns;
    }

    // Gives how many calls had ended.
    private int GoOn(ExecutionContext? context)
    {
        int endings;
        lock (_gate)
        {
            endings = _endings;
            _endings = 0;
        }

        while (TryNext() is { } continuation)
        {
            continuation.Execute();

            // As between two items of the thread pool.
            SynchronizationContext.SetSynchronizationContext(null);
            if (context is not null)
            {
                ExecutionContext.Restore(context);
            }
        }

        Send();
        return endings;
    }

    private IThreadPoolWorkItem? TryNext()
    {
        lock (_gate)
        {
            return _continuations.TryDequeue(out var continuation) ? continuation : null;
        }
    }

    private void Send()
    {
        lock (_gate)
        {
            if (_held.Count == 0)
            {
                return;
            }

            (_held, _sending) = (_sending, _held);
            _entering++;
        }

        try
        {
            Enter(CollectionsMarshal.AsSpan(_sending));
        }
        finally
        {
            _sending.Clear();
        }
    }

    // Enter follows.
    private PoolCall[] TakeHeld_NeedsGate()
    {
        PoolCall[] held = [.. _held];
        _held.Clear();
        _entering++;
        return held;
    }

    private void Enter(Span<PoolCall> held)
    {
        try
        {
            if (!held.IsEmpty)
            {
                _executor!.EnterAll(held);
            }
        }
        finally
        {
            lock (_gate)
            {
                _entering--;
            }
        }
    }

    private void End()
    {
        IBurstReader[] readers;
        lock (_gate)
        {
            readers = End_NeedsGate();
        }

        Tell(readers, _rounds);
    }

    private IBurstReader[] End_NeedsGate()
    {
        _isOver = true;
        return _readers.Clear();
    }

    private void Tell(IBurstReader[] readers, int rounds)
    {
        bursts.Remove(this);
        foreach (var reader in readers)
        {
            reader.BurstEnded(rounds);
        }
    }
}
