using Weir.Jobs.Schedules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Running;

/// <summary>The schedules of this application's store. Any thread.</summary>
/// <param name="engine">Has the store.</param>
/// <param name="source">For handles of jobs.</param>
internal sealed class StoredSchedules(JobEngine engine, StoredJobs source) : IJobSchedules
{
    public async ValueTask<IReadOnlyList<JobSchedule>> ListAsync(CancellationToken cancellationToken)
    {
        await engine.WhenOpen.WaitAsync(cancellationToken);
        return [.. (await StoredJobs.AskAsync(engine.Store.ListSchedulesAsync(cancellationToken))).Select(record => Describe(record, engine.Schedules.ErrorOf(record.Name)))];
    }

    public ValueTask PauseAsync(string name, CancellationToken cancellationToken) => ChangeAsync(name, isPaused: true, cancellationToken);

    public ValueTask ResumeAsync(string name, CancellationToken cancellationToken) => ChangeAsync(name, isPaused: false, cancellationToken);

    public async ValueTask<Job> RunAsync(string name, CancellationToken cancellationToken)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        var schedule = engine.Schedules.Declared.FirstOrDefault(schedule => schedule.Name.Equals(name, StringComparison.OrdinalIgnoreCase)) ?? throw Unknown(name, engine.Schedules.Declared.Select(static one => one.Name));
        await engine.WhenOpen.WaitAsync(cancellationToken);
        var now = engine.Time.GetUtcNow();
        var kind = engine.Kinds.Find(schedule.Kind)!;
        var id = JobId.New(now);
        await engine.Scheduler.AcceptAsync([new NewJobRequest(kind, schedule.JobOf(id, now, now))], cancellationToken);
        return new Job(source, id);
    }

    // Its next occurrence may move in between: then it is read and changed again.
    private async ValueTask ChangeAsync(string name, bool isPaused, CancellationToken cancellationToken)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        await engine.WhenOpen.WaitAsync(cancellationToken);
        while (true)
        {
            var all = await StoredJobs.AskAsync(engine.Store.ListSchedulesAsync(cancellationToken));
            var record = all.FirstOrDefault(schedule => schedule.Name.Equals(name, StringComparison.OrdinalIgnoreCase)) ?? throw Unknown(name, all.Select(static one => one.Name));
            if (record.IsPaused == isPaused)
            {
                return;
            }

            var occurrences = engine.Schedules.Declared.FirstOrDefault(schedule => schedule.Name == record.Name)?.Occurrences;
            var next = isPaused || occurrences is null ? record.Next : ScheduleRules.First(occurrences, Later(engine.Time.GetUtcNow(), record.LastDue));
            var change = new ScheduleChange { Name = record.Name, Expected = record.Next, Next = next, IsPaused = isPaused };
            await source.WriteAsync(batch => batch.ScheduleChanges.Add(change), cancellationToken);
            if (change.IsApplied)
            {
                return;
            }
        }
    }

    // A clock that was set back repeats no occurrence.
    private static DateTimeOffset Later(DateTimeOffset now, DateTimeOffset? last) => last > now ? last.Value : now;

    private static JobSchedule Describe(ScheduleRecord record, string? error) => new()
    {
        Name = record.Name,
        Kind = record.Kind,
        Cron = record.Cron,
        TimeZone = record.TimeZone,
        Source = record.Source,
        Next = record.Next,
        LastDue = record.LastDue,
        LastJob = record.LastJob,
        IsPaused = record.IsPaused,
        IsDeclared = record.UndeclaredSince is null,
        Error = error,
    };

    private static ArgumentException Unknown(string name, IEnumerable<string> names) => new($"There is no schedule '{name}'; the schedules are: {string.Join(", ", names.Order(StringComparer.Ordinal))}.", nameof(name));
}
