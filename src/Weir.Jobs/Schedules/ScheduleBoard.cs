using Weir.Jobs.Storage;

namespace Weir.Jobs.Schedules;

/// <summary>The schedules that this process declares, and when each occurs next, as the store has it. Belongs to the scheduler of jobs, under its lock.</summary>
/// <param name="declared">Those that the application has.</param>
/// <param name="newId">Makes ids of jobs.</param>
internal sealed class ScheduleBoard(IReadOnlyList<DeclaredSchedule> declared, Func<DateTimeOffset, Guid> newId)
{
    // An occurrence that the store did not take, because it has no space, is tried again after this time.
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(10);

    private readonly Dictionary<string, Entry> _entries = declared.ToDictionary(static schedule => schedule.Name, static schedule => new Entry(schedule), StringComparer.Ordinal);

    /// <summary>Those that the application declares.</summary>
    public IReadOnlyList<DeclaredSchedule> Declared => declared;

    /// <summary>Why the occurrences of a schedule cannot be computed; <c>null</c> where they can. Any thread.</summary>
    public string? ErrorOf(string name) => _entries.GetValueOrDefault(name)?.Error;

    /// <summary>When the next one occurs; <c>null</c> where none does, or all are on their way.</summary>
    public DateTimeOffset? Next { get; private set; }

    /// <summary>What this process declares when it starts.</summary>
    public IReadOnlyList<ScheduleDeclaration> Declare(DateTimeOffset now) =>
    [
        .. declared.Select(schedule => new ScheduleDeclaration
        {
            Name = schedule.Name,
            Kind = schedule.Kind,
            Cron = schedule.Cron,
            TimeZone = schedule.TimeZone,
            Source = schedule.Source,
            First = schedule.Occurrences is { } occurrences ? ScheduleRules.First(occurrences, now) : null,
            After = schedule.Occurrences is null ? null : schedule.Occurrences.Next,
        }),
    ];

    /// <summary>The store has what this process declares.</summary>
    public void Apply(IReadOnlyList<ScheduleDeclaration> declarations)
    {
        foreach (var declaration in declarations)
        {
            _entries[declaration.Name].Record = declaration.Record;
        }

        FindNext();
    }

    /// <summary>What has occurred: a change for each of these schedules. It is on its way until it is applied, or given back.</summary>
    public IEnumerable<ScheduleChange> Take(DateTimeOffset now)
    {
        if (!(Next <= now))
        {
            return [];
        }

        var changes = new List<ScheduleChange>();
        foreach (var entry in _entries.Values.Where(entry => entry.Next <= now))
        {
            entry.IsMoving = true;
            try
            {
                changes.Add(ChangeOf(entry, now));
            }
            catch (Exception failure)
            {
                // It fails alone, and stays where it is.
                entry.Error = failure.Message;
            }
        }

        FindNext();
        return changes;
    }

    /// <summary>Changes were committed; some may have been refused.</summary>
    public void Apply(IReadOnlyList<ScheduleChange> changes, DateTimeOffset now)
    {
        foreach (var change in changes)
        {
            if (_entries.TryGetValue(change.Name, out var entry))
            {
                entry.IsMoving = false;
                entry.Record = change.Record;
                entry.NotBefore = change is { IsApplied: false, IsPaused: null } && change.Record?.Next == change.Expected ? now + Pause : default;
            }
        }

        if (changes.Count > 0)
        {
            FindNext();
        }
    }

    /// <summary>Changes were not committed: they are taken again.</summary>
    public void GiveBack(IEnumerable<ScheduleChange> changes)
    {
        foreach (var change in changes)
        {
            if (_entries.TryGetValue(change.Name, out var entry))
            {
                entry.IsMoving = false;
            }
        }

        FindNext();
    }

    private void FindNext() => Next = _entries.Values.Min(static entry => entry.Next);

    private ScheduleChange ChangeOf(Entry entry, DateTimeOffset now)
    {
        var schedule = entry.Schedule;
        var next = entry.Record!.Next!.Value;
        var decision = ScheduleRules.Decide(schedule.Occurrences!, next, now, schedule.Misfire, schedule.MisfireWindow);
        return new ScheduleChange
        {
            Name = schedule.Name,
            Expected = next,
            Next = decision.NewNext,
            Job = decision.Run is { } due ? schedule.JobOf(newId(now), due, now) : null,
            SkipsWhileOpen = schedule.Overlap == ScheduleOverlap.Skip,
            Missed = decision.IsMissed ? decision.Last : null,
        };
    }

    private sealed class Entry(DeclaredSchedule schedule)
    {
        public DeclaredSchedule Schedule => schedule;

        /// <summary>As the store has it; <c>null</c> before it is known.</summary>
        public ScheduleRecord? Record { get; set; }

        /// <summary>Whether a change of it is on its way.</summary>
        public bool IsMoving { get; set; }

        public DateTimeOffset NotBefore { get; set; }

        /// <summary>Why its occurrences could not be computed; <c>null</c> where they could.</summary>
        public string? Error { get; set; } = schedule.Error;

        /// <summary>When it occurs; <c>null</c> where it does not, or a change is on its way.</summary>
        public DateTimeOffset? Next => IsMoving || Error is not null || schedule.Occurrences is null || Record is not { IsPaused: false, Next: { } next } ? null : next > NotBefore ? next : NotBefore;
    }
}
