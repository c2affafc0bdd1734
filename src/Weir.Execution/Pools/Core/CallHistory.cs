using Weir.Execution.Pools.Calls;
using Weir.Execution.Pools.Scheduling;

namespace Weir.Execution.Pools.Core;

/// <summary>
/// The last calls of one worker, for its crash report and its log: a ring of those it answered, and those it had when it ended. Under the
/// pool's lock until the worker is reaped.
/// </summary>
internal sealed class CallHistory
{
    public const int Kept = 8;

    private readonly (ulong Id, Operation Operation, bool IsResult, TimeSpan At)[] _answered = new (ulong, Operation, bool, TimeSpan)[Kept];

    // The calls it had when it ended, and since when each ran; null for one it had not started. At most as many as a worker is sent.
    private readonly List<(ulong Id, Operation Operation, TimeSpan? Since)> _left = [];
    private long _count;
    private TimeSpan? _endedAt;
    private bool _isComplete;

    /// <summary>It answered calls. An answer that reports out of memory means that the worker ended while it ran that call.</summary>
    public void Answered(WorkerEntry worker, ReadOnlySpan<Answer> answers, in PoolClock clock)
    {
        var now = clock.Now;
        foreach (var answer in answers[Math.Max(0, answers.Length - Kept)..])
        {
            if (answer.Call is not { Operation: { } operation } call)
            {
                continue;
            }

            if (ReceivedAnswers.IsOutOfMemory(answer.Kind))
            {
                _endedAt ??= now;
                _left.Add((answer.CallId, operation, SharedMemoryEvents.RunsSince(worker, call, answer.CallId, clock)));
            }
            else
            {
                _answered[_count++ % Kept] = (answer.CallId, operation, ReceivedAnswers.Read(answer.Kind).IsResult, now);
            }
        }
    }

    /// <summary>It has ended; records the calls it still has. Only the first time counts: later events move its calls.</summary>
    public void Ended(WorkerEntry worker, ulong startedThrough, in PoolClock clock)
    {
        if (_isComplete)
        {
            return;
        }

        _isComplete = true;
        _endedAt ??= clock.Now;
        for (var call = worker.Sent.First; call is not null; call = call.Next)
        {
            if (call.Operation is { } operation)
            {
                _left.Add((call.CallId, operation, call.CallId <= startedThrough ? SharedMemoryEvents.RunsSince(worker, call, call.CallId, clock) : null));
            }
        }
    }

    /// <summary>The operation of a call that it has answered; <c>null</c> when that was not one of its last.</summary>
    public Operation? OperationOf(ulong callId)
    {
        foreach (var (id, operation, _, _) in _answered)
        {
            if (id == callId)
            {
                return operation;
            }
        }

        return null;
    }

    /// <summary>Whether it ran a call when it ended.</summary>
    public bool FailedRunning => _left.Exists(static call => call.Since is not null);

    /// <summary>The oldest first. Only after the worker has ended.</summary>
    public List<CrashReportCall> Describe()
    {
        var end = _endedAt ?? TimeSpan.Zero;
        var calls = new List<CrashReportCall>();
        for (var i = Math.Max(0, _count - Kept); i < _count; i++)
        {
            var (id, operation, isResult, at) = _answered[i % Kept];
            calls.Add(new CrashReportCall((long)id, operation.FullName, isResult ? "answered" : "failed", Before(end, at)));
        }

        foreach (var (id, operation, since) in _left)
        {
            calls.Add(new CrashReportCall((long)id, operation.FullName, since is null ? "not started" : "running", since is { } start ? Before(end, start) : TimeSpan.Zero));
        }

        return calls;
    }

    // Where several calls run at a time, one may be answered after another has ended the worker.
    private static TimeSpan Before(TimeSpan end, TimeSpan at) => at < end ? end - at : TimeSpan.Zero;
}
