using System.Diagnostics.CodeAnalysis;

namespace Weir.Execution;

/// <summary>Runs calls and lets the caller's own thread wait for each: what <see cref="OwnThread"/> gives stands on it.</summary>
internal sealed class WaitingInvoker(CallInvoker inner) : CallInvoker
{
    [SuppressMessage("Reliability", "CA2012", Justification = "Looked at until it has ended, and then given on.")]
    public override ValueTask RunAsync(Call call, CancellationToken cancellationToken)
    {
        if (Thread.CurrentThread.IsThreadPoolThread)
        {
            throw new InvalidOperationException(
                $"{call.Operation} was called through OwnThread on a thread of the thread pool, which must not wait; await it through the ordinary client, or call from a thread of your own.");
        }

        var wait = ThreadWait.OfThisThread;
        wait.Expect(call);
        ValueTask running;
        try
        {
            running = inner.RunAsync(call, cancellationToken);
        }
        catch
        {
            wait.Forgo();
            throw;
        }

        if (running.IsCompleted)
        {
            wait.Forgo();
            return running;
        }

        if (call.IsEnding(running))
        {
            wait.For(call);
            return running;
        }

        // A filter, a deadline or a method that awaits stands in between: its own code goes on on the thread pool.
        wait.Forgo();
        var task = running.AsTask();
        ((IAsyncResult)task).AsyncWaitHandle.WaitOne();
        return new ValueTask(task);
    }

    public override IAsyncEnumerable<T> StreamAsync<T>(StreamCall<T> call, CancellationToken cancellationToken) => inner.StreamAsync(call, cancellationToken);
}
