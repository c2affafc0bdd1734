using Weir.Jobs.Rules;
using Weir.Jobs.Running;

namespace Weir.Jobs.Testing;

/// <summary>Counts what a drain runs. Any thread.</summary>
internal sealed class DrainCount
{
    private readonly Lock _gate = new();

    // Under _gate. Bounded by the limit of the drain.
    private readonly List<JobsDrainFailure> _failures = [];
    private int _succeeded;
    private int _failed;
    private int _cancelled;
    private int _returned;
    private int _expired;

    /// <summary>How many attempts have ended.</summary>
    public int Attempts
    {
        get
        {
            lock (_gate)
            {
                return _succeeded + _failed + _cancelled + _returned;
            }
        }
    }

    public JobsDrainResult Result
    {
        get
        {
            lock (_gate)
            {
                return new() { Succeeded = _succeeded, Failed = _failed, Cancelled = _cancelled, Returned = _returned, Expired = _expired, Failures = [.. _failures] };
            }
        }
    }

    /// <summary>Jobs have not begun in time.</summary>
    public void Expired(int count)
    {
        lock (_gate)
        {
            _expired += count;
        }
    }

    /// <summary>An attempt has ended, and its outcome is stored.</summary>
    public void Add(JobRun run)
    {
        if (run.Outcome is not { } outcome)
        {
            return;
        }

        var status = outcome.Change.Status;
        lock (_gate)
        {
            switch (status.State)
            {
                case JobState.Succeeded:
                    _succeeded++;
                    break;
                case JobState.Failed:
                    _failed++;
                    break;
                case JobState.Cancelled:
                    _cancelled++;
                    break;
                default:
                    _returned++;
                    break;
            }

            if (run.Thrown is { } thrown && status.State != JobState.Cancelled && (status.State == JobState.Failed || outcome.Happened != JobEvent.AskedForRetry))
            {
                _failures.Add(new JobsDrainFailure
                {
                    Id = run.Record.Id,
                    Kind = run.Kind.Name,
                    Attempt = run.Record.Status.Starts,
                    State = status.State,
                    Reason = status.Reason,
                    Exception = outcome.Before?.Stop == JobStop.Timeout ? StoredJobs.TooLate(run.Record) : thrown is NotUnderstoodException { InnerException: { } cause } ? cause : thrown,
                });
            }
        }
    }
}
