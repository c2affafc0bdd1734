using System.Diagnostics;
using System.Runtime.CompilerServices;
using Weir.Execution.Threading;

namespace Weir.Execution.Inline;

/// <summary>
/// Finds out whether an inline operation blocks threads of the thread pool. Every call is timed by the clock that counts milliseconds, which
/// costs some nanoseconds; only after one that took long, the next ones are measured exactly. Used by all threads that run the operation.
/// </summary>
/// <param name="operation">The operation.</param>
/// <param name="threshold">How long a call may take before it is measured; <c>null</c> measures none.</param>
/// <param name="application">Of the application that runs it.</param>
internal sealed class BlockingDetector(Operation operation, TimeSpan? threshold, InlineDiagnostics application)
{
    private readonly long _threshold = threshold is { } time ? (long)time.TotalMilliseconds : long.MaxValue;

    /// <summary>The operation.</summary>
    public Operation Operation => operation;

    /// <summary>Its calls that blocked their thread.</summary>
    public BlockedCalls Calls { get; } = new(threshold ?? TimeSpan.MaxValue);

    /// <summary>Its method is called; on the thread that calls it.</summary>
    public InlineRun Begin()
    {
        application.CallBegins();
        var thread = InlineThread.Current;
        var run = new InlineRun(thread, thread.Operation, thread.LongMilliseconds, Environment.TickCount64, Calls.IsMeasured ? ThreadTimes.Read() : null);
        thread.Operation = operation;
        return run;
    }

    /// <summary>The method has returned its result or its task, or has thrown; on the same thread. Throws nothing.</summary>
    public void End(in InlineRun run)
    {
        run.Thread.Operation = run.Outer;
        var took = Environment.TickCount64 - run.Began;
        if (took >= _threshold || run.Times is not null)
        {
            Examine(run, took);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Examine(in InlineRun run, long took)
    {
        // A call inside this one that took long was examined as a call of its own operation.
        var own = took - (run.Thread.LongMilliseconds - run.LongMilliseconds);
        var isLong = own >= _threshold;
        if (isLong)
        {
            run.Thread.LongMilliseconds += own;
        }

        // A debugger stops threads for as long as its user likes.
        if (!run.Thread.IsOfThreadPool || Debugger.IsAttached)
        {
            return;
        }

        if (run.Times is null)
        {
            Calls.TookLong();
            return;
        }

        var spent = isLong ? ThreadTimes.Read()?.Since(run.Times) : null;
        if (Calls.Add(TimeSpan.FromMilliseconds(own), spent))
        {
            Callbacks.Run((application.Logger, operation, own, spent!.Processor), static found => InlineLog.Blocks(found.Logger, found.operation, found.own, found.Processor), static (_, _) => { });
        }
    }
}
