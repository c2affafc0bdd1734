namespace Weir.Execution.Processes;

/// <summary>
/// The last calls of one worker, for the report of its crash: a ring of those it answered, and those it had when it ended. Under the
/// pool's lock until the worker is buried.
/// </summary>
internal sealed class CallHistory
{
    public const int Kept = 8;

    private readonly (ulong Id, Operation Operation, bool IsResult, TimeSpan At)[] _answered = new (ulong, Operation, bool, TimeSpan)[Kept];

    // What it had when it ended. At most as many as a worker is sent.
    private readonly List<(ulong Id, Operation Operation, bool HasStarted)> _left = [];
    private long _count;
    private TimeSpan _startedAt;
    private TimeSpan? _endedAt;

    /// <summary>It answered calls.</summary>
    public void Answered(ReadOnlySpan<Answer> answers, TimeSpan now)
    {
        foreach (var answer in answers[Math.Max(0, answers.Length - Kept)..])
        {
            if (answer.Call is PoolCall call)
            {
                _answered[_count++ % Kept] = (answer.CallId, call.Call.Operation, AnswerBatch.Read(answer.Kind).IsResult, now);
            }
        }
    }

    /// <summary>It has ended, and this is what it leaves. The first word counts: what follows moves its calls.</summary>
    public void Ended(WorkerEntry worker, ulong startedThrough, TimeSpan now)
    {
        if (_endedAt is not null)
        {
            return;
        }

        _endedAt = now;
        _startedAt = worker.StartedAt;
        for (var call = worker.Sent.First; call is not null; call = call.Next)
        {
            if (call is PoolCall { Call.Operation: var operation })
            {
                _left.Add((call.CallId, operation, call.CallId <= startedThrough));
            }
        }
    }

    /// <summary>Whether it ran a call when it ended.</summary>
    public bool DiedRunning => _left.Exists(static call => call.HasStarted);

    /// <summary>The oldest first. After its end only.</summary>
    public List<CrashReportCall> Describe()
    {
        var end = _endedAt ?? TimeSpan.Zero;
        var calls = new List<CrashReportCall>();
        for (var i = Math.Max(0, _count - Kept); i < _count; i++)
        {
            var (id, operation, isResult, at) = _answered[i % Kept];
            calls.Add(new CrashReportCall((long)id, operation.FullName, isResult ? "answered" : "failed", end - at));
        }

        foreach (var (id, operation, hasStarted) in _left)
        {
            calls.Add(new CrashReportCall((long)id, operation.FullName, hasStarted ? "running" : "not started", hasStarted ? end - _startedAt : TimeSpan.Zero));
        }

        return calls;
    }
}
