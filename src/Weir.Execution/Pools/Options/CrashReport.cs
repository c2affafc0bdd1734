using System.Globalization;
using System.Text;
using Weir.Execution.Pools.Options;

namespace Weir;

/// <summary>
/// What is known of a worker that ended without being asked to, or that the host had to kill. It is logged and passed to
/// <see cref="PoolOptions.OnCrash"/>; the callers whose calls were lost with the worker see only its <see cref="Id"/>.
/// </summary>
public sealed record CrashReport
{
    /// <summary>Names this report in logs, exceptions and problems: pool, process id, and which of the pool's processes it was.</summary>
    public required string Id { get; init; }

    /// <summary>The pool.</summary>
    public required string Pool { get; init; }

    /// <summary>The worker's process id; 0 when it could not be spawned.</summary>
    public required int ProcessId { get; init; }

    /// <summary>How often the pool had been reloaded when the worker was started.</summary>
    public required int Generation { get; init; }

    /// <summary>When the report was made, by the host's clock.</summary>
    public required DateTimeOffset At { get; init; }

    /// <summary>
    /// What it was doing: <c>call</c>, <c>idle</c>, <c>draining</c>, or <c>start: </c> and the phase of its start. It is also <c>call</c>
    /// when the call ran out of memory.
    /// </summary>
    public required string Phase { get; init; }

    /// <summary>The same, for the metrics.</summary>
    internal WorkerExitKind End { get; init; }

    /// <summary>How it ended: <c>stack overflow (signal 6 (SIGABRT))</c>, <c>killed: its call was cancelled and did not end within the grace</c>.</summary>
    public required string Cause { get; init; }

    /// <summary>Its exit code; <c>null</c> when a signal ended it, or it could not be spawned.</summary>
    public int? ExitCode { get; init; }

    /// <summary>The signal that ended it; <c>null</c> when it exited.</summary>
    public int? Signal { get; init; }

    /// <summary>Its age when the report was made.</summary>
    public required TimeSpan Age { get; init; }

    /// <summary>Calls it answered.</summary>
    public required long CallsDone { get; init; }

    /// <summary>The calls it had when it ended, preceded by the last calls that it answered: at most eight of these, the oldest first.</summary>
    public required IReadOnlyList<CrashReportCall> Calls { get; init; }

    /// <summary>The last 64 KB that it and the processes it started printed, stdout and stderr in the order of arrival.</summary>
    public required string Output { get; init; }

    /// <summary>
    /// What it did when it hung: the frames of the application, innermost first, of each thread that has some, or what a worker in another language answered. At most 64 KB.
    /// Only of a worker that the host killed because a cancelled call did not end within the grace or because the worker stalled, and only where the stack could be read
    /// within 300 ms; otherwise <c>null</c>. <c>docs/guide/pools.md</c> says where it cannot be had.
    /// </summary>
    public string? Stack { get; init; }

    /// <summary>The minidump of a worker that has a <see cref="Stack"/> or could have one; <c>null</c> without <see cref="PoolOptions.Dumps"/>, and where none could be written. It may have been deleted for a later one.</summary>
    public string? DumpPath { get; init; }

    /// <summary>The limits that applied to it.</summary>
    public required AppliedLimits Limits { get; init; }

    /// <summary>
    /// The whole report except the cause, which precedes it in the log; of the output what a failed runtime said, the frames down to the
    /// operation, and what was printed just before: at most about 5,000 characters. Of the stack at most about 2,500.
    /// </summary>
    public override string ToString()
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"Crash report {Id}: generation {Generation}, phase '{Phase}', {Age.TotalSeconds:0.0} s old, {Limits}. ");
        text.Append(Calls.Count == 0 ? "It had no calls." : $"Its last calls: {string.Join("; ", Calls)}.");
        text.Append(Stack is null ? "" : $" What it ran:\n{PrintedText.ShortenStack(Stack)}\n");
        text.Append(DumpPath is null ? "" : $" Its minidump: {DumpPath}.");
        text.Append(Output.Length == 0 ? " It printed nothing." : $" Its last output: {PrintedText.Shorten(Output)}");
        return text.ToString();
    }
}
