using Weir.Jobs.Rules;
using Weir.Tests.Processes.Simulation;

namespace Weir.Tests.Jobs.Simulation;

/// <summary>
/// A store, replicas that claim and run jobs, and people who cancel and repeat them, under virtual time: every delay and every fault drawn from a
/// seed. Replicas may be gone, or only presumed to be gone; what they report may come late, and twice.
/// </summary>
internal sealed class JobSimulation
{
    private const int MostSteps = 100_000;
    private const double Lease = 60_000;

    private static readonly DateTimeOffset Origin = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

    private readonly VirtualTime _time = new();
    private readonly Random _random;
    private readonly JobMutation _mutation;
    private readonly double _faults;
    private readonly SimulatedJob[] _jobs;

    public JobSimulation(int seed, JobMutation mutation = JobMutation.None)
    {
        _random = new Random(seed);
        _mutation = mutation;
        _faults = _random.Next(3) switch { 0 => 0, 1 => 0.1, _ => 0.5 };
        _jobs = [.. Enumerable.Range(0, _random.Next(1, 8)).Select(number => new SimulatedJob(number, Kind()) { Refusal = Refusal() })];
    }

    public IReadOnlyList<SimulatedJob> Jobs => _jobs;

    private DateTimeOffset Now => Origin + _time.Now;

    public void Run()
    {
        // 1. Jobs are accepted; some are cancelled, repeated or expire while they wait or run.
        foreach (var job in _jobs)
        {
            job.Row = JobRules.Accept(Now + TimeSpan.FromSeconds(_random.Next(-1, 30)), Now);
            job.Earliest = job.Row.Due;
            Plan(job);
            if (_random.NextDouble() < _faults)
            {
                _time.After(_random.Next(100_000), () => Cancel(job));
            }

            if (_random.NextDouble() < _faults)
            {
                _time.After(_random.Next(600_000), () => RetryByHand(job));
            }
        }

        // 2. Everything that follows.
        while (_time.TryStep())
        {
            JobOracle.Holds(_time.Steps < MostSteps, "a run ends", $"at {_time.Now}");
        }

        foreach (var job in _jobs)
        {
            JobOracle.Holds(job.Row.HasEnded, "every job ends", $"{job} is {job.Row.State}");
        }
    }

    private JobTraits Kind()
    {
        var isIdempotent = _random.Next(2) == 0;
        return new JobTraits { IsIdempotent = isIdempotent, Attempts = isIdempotent ? 5 : _random.Next(1, 4), Backoff = TimeSpan.FromSeconds(_random.Next(1, 10)) };
    }

    private JobEvent? Refusal() => _random.Next(20) switch { 0 => JobEvent.Quarantined, 1 => JobEvent.NotUnderstood, _ => null };

    // ---- the store ----

    private JobVerdict Apply(SimulatedJob job, JobEvent happened, long? fence = null)
    {
        var before = job.Row;
        var kind = _mutation switch
        {
            JobMutation.RepeatsEverything => job.Kind with { IsIdempotent = true },
            JobMutation.ForgetsCrashes => job.Kind with { MostCrashes = 1000 },
            JobMutation.ForgetsLosses => job.Kind with { MostLosses = 1000 },
            JobMutation.ForgetsAttempts => job.Kind with { Attempts = 1000 },
            JobMutation.ForgetsPauses => job.Kind with { Backoff = TimeSpan.Zero },
            _ => job.Kind,
        };
        if ((_mutation == JobMutation.NeverDue && happened == JobEvent.Due)
            || (_mutation == JobMutation.ForgetsCancel && happened == JobEvent.CancelAsked && before.IsWaiting))
        {
            return JobVerdict.NoChange;
        }

        var isLate = _mutation == JobMutation.LosesLateSuccess && before.Stop == JobStop.Timeout && happened == JobEvent.Succeeded;
        var moment = new JobMoment(Now, _random.NextDouble()) { Fence = _mutation == JobMutation.IgnoresFences ? before.Fence : fence ?? before.Fence };
        var change = JobRules.Decide(before, kind, isLate ? JobEvent.Answered : happened, moment);
        if (change.Verdict == JobVerdict.Late && _mutation == JobMutation.LosesLateOutcomes)
        {
            return JobVerdict.Stale;
        }

        job.Row = change.Status with { IsOpen = change.Status.IsOpen || (_mutation == JobMutation.CountsTwice && fence is not null) };
        return change.Verdict;
    }

    // What waits becomes due, and is claimed when a replica has a slot.
    private void Plan(SimulatedJob job)
    {
        if (!job.Row.IsWaiting)
        {
            return;
        }

        var wait = job.Row.Due > Now ? job.Row.Due - Now : TimeSpan.Zero;
        var (fence, state, due) = (job.Row.Fence, job.Row.State, job.Row.Due);
        _time.After(wait + TimeSpan.FromMilliseconds(_random.Next(1, 50)), () =>
        {
            if (job.Row.Fence != fence || job.Row.State != state || job.Row.Due != due)
            {
                // Something else happened before.
                return;
            }

            Apply(job, JobEvent.Due);
            if (Apply(job, JobEvent.Claimed) == JobVerdict.Applied)
            {
                Start(job, job.Row.Fence);
            }
        });
    }

    // ---- people ----

    private void Cancel(SimulatedJob job)
    {
        job.IsCancelled |= job.Row.IsWaiting;
        Apply(job, JobEvent.CancelAsked);
    }

    private void RetryByHand(SimulatedJob job)
    {
        var isNew = job.Row.HasEnded;
        if (Apply(job, JobEvent.RetriedByHand) != JobVerdict.Applied)
        {
            return;
        }

        if (isNew)
        {
            (job.IsUnknown, job.IsCancelled, job.Counted) = (false, false, default);
        }

        job.Earliest = Now;
        Plan(job);
    }

    // ---- a replica ----

    private void Start(SimulatedJob job, long fence)
    {
        if (job.Refusal is not null || _random.NextDouble() < _faults / 2)
        {
            // It does not begin.
            var why = job.Refusal ?? (_random.Next(3) switch { 0 => JobEvent.NotStarted, 1 => JobEvent.Quarantined, _ => JobEvent.NotUnderstood });
            _time.After(_random.Next(100), () => Report(job, why, fence));
            return;
        }

        JobOracle.Begins(job, Now);
        var takes = _random.Next(1, 5_000);
        if (_random.Next(4) == 0)
        {
            _time.After(takes / 2, () => TimeOut(job, fence));
        }

        if (_random.NextDouble() >= _faults)
        {
            Ends(job, JobEvent.Succeeded, fence, takes);
            return;
        }

        switch (_random.Next(6))
        {
            case 0:
                Ends(job, JobEvent.Crashed, fence, takes);
                break;
            case 1:
                // The replica is gone.
                _time.After(takes + Lease, () => Lose(job, fence));
                break;
            case 2:
                // It is only presumed to be gone: its outcome comes late.
                _time.After(Lease, () => Lose(job, fence));
                Ends(job, _random.Next(2) == 0 ? JobEvent.Succeeded : JobEvent.Threw, fence, Lease + _random.Next(1, 100));
                break;
            case 3:
                Ends(job, JobEvent.Drained, fence, takes);
                break;
            default:
                Ends(job, _random.Next(4) switch { 0 => JobEvent.AskedForRetry, 1 => JobEvent.Answered, _ => JobEvent.Threw }, fence, takes);
                break;
        }
    }

    // What is reported may be reported again: the first answer of the store was lost.
    private void Ends(SimulatedJob job, JobEvent how, long fence, double after)
    {
        _time.After(after, () => Report(job, how, fence));
        if (_random.Next(5) == 0)
        {
            _time.After(after + _random.Next(1, 200_000), () => Report(job, how, fence));
        }
    }

    private void TimeOut(SimulatedJob job, long fence)
    {
        if (job.Row.Fence == fence)
        {
            Apply(job, JobEvent.TimedOut);
        }
    }

    private void Lose(SimulatedJob job, long fence)
    {
        var before = job.Row;
        if (before.Fence != fence || before.State != JobState.Running)
        {
            return;
        }

        Count(job, before, JobEvent.OwnerLost);
        Apply(job, JobEvent.OwnerLost, fence);
        Follow(job, before);
    }

    private void Report(SimulatedJob job, JobEvent happened, long fence)
    {
        var before = job.Row;
        if (before.Fence == fence && !job.Reported.Contains(fence))
        {
            Count(job, before, happened);
        }

        Apply(job, happened, fence);
        JobOracle.Reports(job, before, happened, fence);
        Follow(job, before);
    }

    // What really happened, by what the table says of it.
    private static void Count(SimulatedJob job, in JobStatus before, JobEvent happened)
    {
        var (failures, crashes, losses) = job.Counted;
        if (before is not { State: JobState.Running } || before.Stop == JobStop.Cancel)
        {
            failures += before.IsWaiting && happened == JobEvent.Threw ? 1 : 0;
        }
        else if (before.Stop == JobStop.Timeout && happened != JobEvent.Succeeded)
        {
            job.IsUnknown = true;
            failures++;
        }
        else
        {
            job.IsUnknown |= happened is JobEvent.Crashed or JobEvent.OwnerLost or JobEvent.Drained;
            failures += happened == JobEvent.Threw ? 1 : 0;
            crashes += happened == JobEvent.Crashed ? 1 : 0;
            losses += happened == JobEvent.OwnerLost ? 1 : 0;
        }

        job.Counted = (failures, crashes, losses);
    }

    private void Follow(SimulatedJob job, in JobStatus before)
    {
        if (job.Row == before)
        {
            return;
        }

        if (job.Row.Failures > before.Failures && job.Row.IsWaiting)
        {
            // At least half of the pause.
            job.Earliest = Now + (0.5 * Math.Pow(4, job.Row.Failures - 1) * job.Kind.Backoff);
        }

        Plan(job);
    }
}
