using Weir.Execution.Observation;
using Weir.Execution.Observation.Findings;
using Weir.Jobs.Diagnostics;
using Weir.Jobs.Health;
using Weir.Jobs.Running;

namespace Weir.Jobs.Observation;

/// <summary>The jobs of this process, for people who look: what it knows without asking the store. Any thread.</summary>
/// <param name="engine">The jobs.</param>
/// <param name="tally">What became of them.</param>
internal sealed class ObservedJobs(JobEngine engine, JobTally tally) : IObservedPart
{
    // What the store counted is about right for so long: after it, other processes may have done anything.
    private static readonly TimeSpan MostAge = TimeSpan.FromMinutes(1);

    /// <summary>They are counted from now on.</summary>
    public static ObservedJobs Begin(JobEngine engine)
    {
        var tally = new JobTally(engine.Time);
        engine.Meter.Tally = tally;
        return new ObservedJobs(engine, tally);
    }

    public IEnumerable<Finding> Find() => JobFindings.Of(JobsCondition.Of(engine), engine.Kinds.All.Select(kind => (kind, tally.Read(kind.Name))));

    public IPartReading Read(RowOrder order)
    {
        var isCounted = engine.Backlog.Age <= MostAge;
        KindRow[] rows =
        [
            .. engine.Kinds.All.Select(kind => new KindRow(kind.Name, isCounted ? kind.Waiting.Now : null, kind.Running, kind.IsPaused, tally.Read(kind.Name))).Where(static row => row.IsActive),
        ];
        var oldest = isCounted ? engine.Kinds.All.Where(static kind => kind.Waiting.Now > 0).Min(static kind => kind.Waiting.OldestDue) : null;
        var now = engine.Time.GetUtcNow();
        return new JobsReading
        {
            Waiting = isCounted ? rows.Sum(static row => row.Waiting ?? 0) : null,
            Oldest = oldest is { } due ? due < now ? now - due : TimeSpan.Zero : null,
            Kinds = [.. InOrder(rows, order)],
        };
    }

    private static IEnumerable<KindRow> InOrder(IEnumerable<KindRow> rows, RowOrder order) => order switch
    {
        RowOrder.Calls => rows.OrderByDescending(static row => row.Figures.Ended),
        RowOrder.P95 => rows.OrderByDescending(static row => row.Figures.P99 ?? 0),
        RowOrder.Failed => rows.OrderByDescending(static row => row.Figures.Failed),
        _ => rows.OrderByDescending(static row => row.Figures.Failed > 0).ThenByDescending(static row => row.Running).ThenByDescending(static row => row.Waiting ?? 0).ThenBy(static row => row.Name, StringComparer.Ordinal),
    };
}
