using System.Diagnostics.Metrics;
using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Diagnostics;

/// <summary>The instruments of jobs, in the meter <c>Weir</c>. Any thread. <c>docs/guide/meters.md</c> has all instruments in one table.</summary>
internal sealed class JobMeter
{
    private const string KindTag = "weir.job.kind";
    private const string StateTag = "weir.job.state";
    private const string ReasonTag = "weir.job.reason";

    // In seconds: without advice a collector uses buckets that are meant for milliseconds.
    private static readonly InstrumentAdvice<double> Seconds = new()
    {
        HistogramBucketBoundaries = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 600, 1_800, 3_600, 21_600],
    };

    private static readonly InstrumentAdvice<double> CommitSeconds = new() { HistogramBucketBoundaries = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] };

    private readonly Counter<long> _accepted;
    private readonly Counter<long> _started;
    private readonly Counter<long> _ended;
    private readonly Counter<long> _returned;
    private readonly Counter<long> _stale;
    private readonly Counter<long> _late;
    private readonly Histogram<double> _queueTime;
    private readonly Histogram<double> _time;
    private readonly Histogram<double> _processTime;
    private readonly Histogram<double> _commitTime;
    private readonly Histogram<int> _batch;

    /// <summary>The instruments.</summary>
    /// <param name="factory">Of the application; <c>null</c> for none.</param>
    /// <param name="kinds">The kinds, for what is observed.</param>
    /// <param name="refresh">Has the store count what waits, if the last count is old.</param>
    /// <param name="time">The clock.</param>
    public JobMeter(IMeterFactory? factory, Func<IEnumerable<IObservedKind>> kinds, Action refresh, TimeProvider time)
    {
        var meter = factory?.Create(new MeterOptions("Weir")) ?? new Meter("Weir");
        _accepted = meter.CreateCounter<long>("weir.job.accepted", "{job}", "Jobs that were stored.");
        _started = meter.CreateCounter<long>("weir.job.started", "{attempt}", "Attempts that were started.");
        _ended = meter.CreateCounter<long>("weir.job.ended", "{job}", "Jobs that ended, by state and reason.");
        _returned = meter.CreateCounter<long>("weir.job.returned", "{attempt}", "Attempts after which their job waits again.");
        _stale = meter.CreateCounter<long>("weir.job.outcomes.stale", "{outcome}", "Outcomes and items of attempts that were over: ignored.");
        _late = meter.CreateCounter<long>("weir.job.outcomes.late", "{outcome}", "Outcomes of attempts that were presumed lost: applied.");
        _queueTime = meter.CreateHistogram("weir.job.queue.time", "s", "How long a job waited from when it was due until it was started.", tags: null, Seconds);
        _time = meter.CreateHistogram("weir.job.time", "s", "How long an attempt ran.", tags: null, Seconds);
        _processTime = meter.CreateHistogram("messaging.process.duration", "s", "How long an attempt ran, by the conventions for messages.", tags: null, Seconds);
        _commitTime = meter.CreateHistogram("weir.job.store.commit.time", "s", "How long a commit took.", tags: null, CommitSeconds);
        _batch = meter.CreateHistogram<int>("weir.job.store.commit.batch", "{write}", "How many jobs, events and items were in a commit.");
        meter.CreateObservableUpDownCounter<long>(
            "weir.job.running", () => kinds().Select(static kind => new Measurement<long>(kind.RunningNow, Kind(kind.Name))), "{job}", "Jobs that run in this process.");
        meter.CreateObservableUpDownCounter<long>("weir.job.waiting", () => Waiting(kinds(), refresh), "{job}", "Jobs that wait, for a time or for a place: counted at most every 10 s.");
        meter.CreateObservableGauge<double>(
            "weir.job.oldest", () => kinds().Where(static kind => kind.OldestDue is not null).Select(kind => new Measurement<double>(Math.Max(0, (time.GetUtcNow() - kind.OldestDue!.Value).TotalSeconds), Kind(kind.Name))), "s",
            "How long the job that was submitted first, of those that are ready, has been due.");
    }

    /// <summary>Counts what people look at; <c>null</c> where recording is off. Set once, while the application starts.</summary>
    public JobTally? Tally { get; set; }

    private static IEnumerable<Measurement<long>> Waiting(IEnumerable<IObservedKind> kinds, Action refresh)
    {
        refresh();
        return kinds.Select(static kind => new Measurement<long>(kind.WaitingNow, Kind(kind.Name)));
    }

    public void Accepted(string kind)
    {
        if (_accepted.Enabled)
        {
            Add(_accepted, Kind(kind));
        }
    }

    public void Started(string kind, JobRecord job, DateTimeOffset now)
    {
        if (_started.Enabled)
        {
            Add(_started, Kind(kind));
        }

        if (_queueTime.Enabled)
        {
            Record(_queueTime, Math.Max(0, (now - job.Status.Due).TotalSeconds), Kind(kind));
        }
    }

    public void Ran(string kind, TimeSpan took)
    {
        Tally?.Ran(kind, took);
        if (_time.Enabled)
        {
            Record(_time, took.TotalSeconds, Kind(kind));
        }

        if (_processTime.Enabled)
        {
            Record(_processTime, took.TotalSeconds, new("messaging.system", "weir"), new("messaging.operation.name", "process"), new("messaging.destination.name", kind));
        }
    }

    public void Stale(string? kind) => Add(_stale, Kind(kind));

    public void Acted(JobAction action)
    {
        var change = action.Change;
        if (change.Verdict == JobVerdict.Stale)
        {
            Stale(action.KindName);
        }
        else if (change.Verdict is JobVerdict.Applied or JobVerdict.Late && action.Happened != JobEvent.ArgumentsEdited)
        {
            if (change.Verdict == JobVerdict.Late)
            {
                Add(_late, Kind(action.KindName));
            }

            if (change.Status.HasEnded && action.Before is { HasEnded: false } or { Reason: JobReason.Lost })
            {
                Tally?.Ended(action.KindName, action.Id, change.Status.State, change.Status.Reason);
                if (_ended.Enabled)
                {
                    Add(_ended, Kind(action.KindName), new KeyValuePair<string, object?>(StateTag, Name(change.Status.State)), new KeyValuePair<string, object?>(ReasonTag, Name(change.Status.Reason)));
                }
            }
            else if (change.Status.IsWaiting && action.Before is { State: JobState.Running })
            {
                Add(_returned, Kind(action.KindName));
            }
        }
    }

    /// <summary>A job ended because it had not begun in time.</summary>
    public void Expired(string kind, Guid job)
    {
        Tally?.Ended(kind, job, JobState.Expired, JobReason.None);
        Add(_ended, Kind(kind), new KeyValuePair<string, object?>(StateTag, Name(JobState.Expired)), new KeyValuePair<string, object?>(ReasonTag, Name(JobReason.None)));
    }

    public void Committed(JobBatch batch, TimeSpan took)
    {
        if (_commitTime.Enabled)
        {
            Record(_commitTime, took.TotalSeconds);
        }

        if (_batch.Enabled)
        {
            Record(_batch, batch.Jobs.Count + batch.Actions.Count + batch.Items.Count);
        }
    }

    // A listener is foreign code, and what it throws is no outcome of a job or of a commit.
    private static void Add(Counter<long> counter, params ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        try
        {
            counter.Add(1, tags);
        }
        catch (Exception)
        {
            // There is nowhere to report that a meter throws.
        }
    }

    private static void Record<T>(Histogram<T> histogram, T value, params ReadOnlySpan<KeyValuePair<string, object?>> tags)
        where T : struct
    {
        try
        {
            histogram.Record(value, tags);
        }
        catch (Exception)
        {
            // As above.
        }
    }

    private static KeyValuePair<string, object?> Kind(string? name) => new(KindTag, name);

    private static string Name(JobState state) => state.ToString().ToLowerInvariant();

    private static string Name(JobReason reason) => reason.ToString().ToLowerInvariant();
}
