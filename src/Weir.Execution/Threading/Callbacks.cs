namespace Weir.Execution.Threading;

/// <summary>
/// Work of the library itself on other threads: the thread pool, timers, cancelled tokens, threads. An exception that escapes from such a
/// callback would end the process, so each callback runs inside one try block as a whole, and its owner handles what it throws.
/// No other file makes the raw calls; a test checks that.
/// </summary>
internal static class Callbacks
{
    /// <summary>Runs work on the thread pool.</summary>
    /// <param name="state">Passed to both methods.</param>
    /// <param name="run">The work.</param>
    /// <param name="failed">Handles what <paramref name="run"/> throws.</param>
    public static void Queue<TState>(TState state, Action<TState> run, Action<TState, Exception> failed) =>
        ThreadPool.UnsafeQueueUserWorkItem(new GuardedCall<TState>(state, run, failed), preferLocal: false);

    /// <summary>Runs work on the thread pool, without an allocation.</summary>
    public static void Queue(IWorkItem work) => ThreadPool.UnsafeQueueUserWorkItem(work, preferLocal: false);

    /// <summary>Creates a timer that is not set. Its callback runs on the thread pool.</summary>
    /// <param name="time">The clock.</param>
    /// <param name="state">Passed to both methods.</param>
    /// <param name="run">The callback.</param>
    /// <param name="failed">Handles what <paramref name="run"/> throws.</param>
    public static ITimer CreateTimer<TState>(TimeProvider time, TState state, Action<TState> run, Action<TState, Exception> failed) =>
        time.CreateTimer(static call => ((GuardedCall<TState>)call!).Execute(), new GuardedCall<TState>(state, run, failed), Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);

    /// <summary>Runs a callback when a token is cancelled: on the thread that cancels it, which may be a timer's.</summary>
    /// <param name="state">Passed to both methods.</param>
    /// <param name="run">The callback.</param>
    /// <param name="failed">Handles what <paramref name="run"/> throws.</param>
    /// <param name="token">The token.</param>
    public static CancellationTokenRegistration Register<TState>(TState state, Action<TState> run, Action<TState, Exception> failed, CancellationToken token) =>
        token.UnsafeRegister(static call => ((GuardedCall<TState>)call!).Execute(), new GuardedCall<TState>(state, run, failed));

    /// <summary>The same without an allocation.</summary>
    public static CancellationTokenRegistration Register(ICancellationCallback callback, CancellationToken token) =>
        token.UnsafeRegister(static callback => Cancelled((ICancellationCallback)callback!), callback);

    /// <summary>Creates a background thread that is not started.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="state">Passed to both methods.</param>
    /// <param name="run">The whole work of the thread.</param>
    /// <param name="failed">Handles what <paramref name="run"/> throws; the thread ends after it.</param>
    /// <param name="stackSize">In bytes; 0 takes the default.</param>
    public static Thread CreateThread<TState>(string name, TState state, Action<TState> run, Action<TState, Exception> failed, int stackSize = 0) =>
        new(new GuardedCall<TState>(state, run, failed).Execute, stackSize) { Name = name, IsBackground = true };

    /// <summary>Runs work and passes what it throws to its owner. Throws nothing.</summary>
    public static void Run<TState>(TState state, Action<TState> run, Action<TState, Exception> failed)
    {
        try
        {
            run(state);
        }
        catch (Exception failure)
        {
            Handle(state, failure, failed);
        }
    }

    private static void Cancelled(ICancellationCallback callback) =>
        Run(callback, static callback => callback.OnCancelled(), static (callback, failure) => callback.OnCancelFailed(failure));

    private static void Handle<TState>(TState state, Exception failure, Action<TState, Exception> failed)
    {
        try
        {
            failed(state, failure);
        }
        catch (Exception)
        {
            // Without memory even the handler fails. No other code can handle it, and the process must not end because of it.
        }
    }

    private sealed class GuardedCall<TState>(TState state, Action<TState> run, Action<TState, Exception> failed) : IThreadPoolWorkItem
    {
        public void Execute() => Run(state, run, failed);
    }
}
