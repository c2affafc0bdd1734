using Weir.Jobs.Running;

namespace Weir.Jobs.Health;

/// <summary>What a person has to look at in the jobs of this process: decided once, so that the health check and what is observed say the same. Immutable.</summary>
internal sealed record JobsCondition
{
    /// <summary>What the store does not do, as the end of a sentence, and why; <c>null</c> while it is open and commits.</summary>
    public (string What, Exception Why)? StoreFailure { get; init; }

    /// <summary>What the store warns of, as a sentence; <c>null</c> for nothing.</summary>
    public string? Warning { get; init; }

    /// <summary>How many jobs run here.</summary>
    public int Running { get; init; }

    /// <summary>Jobs that were stopped a while ago, and whose code, in this process, still runs.</summary>
    public IReadOnlyList<(Guid Job, JobKind Kind)> IgnoringToken { get; init; } = [];

    /// <summary>Kinds that are paused while jobs of them wait, and about how many do.</summary>
    public IReadOnlyList<(JobKind Kind, long Waiting)> Paused { get; init; } = [];

    /// <summary>Kinds whose jobs wait until a version understands their arguments.</summary>
    public IReadOnlyList<JobKind> Held { get; init; } = [];

    /// <summary>Schedules that make no jobs, and why.</summary>
    public IReadOnlyList<(string Name, string Error)> FailingSchedules { get; init; } = [];

    /// <summary>Jobs that were deleted before their retention was over, within the last hour.</summary>
    public long DeletedEarly { get; init; }

    /// <summary>Reads it. The store is not asked.</summary>
    public static JobsCondition Of(JobEngine engine)
    {
        var runs = engine.Runner.Runs.ToArray();
        return new JobsCondition
        {
            StoreFailure = engine.WhenOpen is { IsFaulted: true, Exception.InnerException: { } closed } ? ("is not open", closed) : engine.Scheduler.Failure is { } failure ? ("does not commit", failure) : null,
            Warning = engine.Store.Warning,
            Running = runs.Length,
            IgnoringToken = [.. runs.Where(static run => run.IgnoresToken).Select(static run => (run.Record.Id, run.Kind))],
            Paused = [.. engine.Kinds.All.Where(static kind => kind is { IsPaused: true, Waiting.Now: > 0 }).Select(static kind => (kind, kind.Waiting.Now))],
            Held = [.. engine.Kinds.All.Where(kind => kind.IsHeld(engine.Time))],
            FailingSchedules = [.. engine.Schedules.Declared.Select(schedule => (schedule.Name, Error: engine.Schedules.ErrorOf(schedule.Name))).Where(static schedule => schedule.Error is not null).Select(static schedule => (schedule.Name, schedule.Error!))],
            DeletedEarly = engine.Purger.Early,
        };
    }
}
