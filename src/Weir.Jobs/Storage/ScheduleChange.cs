namespace Weir.Jobs.Storage;

/// <summary>Moves a schedule to another occurrence, if its next one is still the one that is expected, and stores the job of the occurrence in the same commit. Or pauses it, or resumes it.</summary>
internal sealed class ScheduleChange
{
    public required string Name { get; init; }

    /// <summary>The next occurrence as it is known; <c>null</c> where there is none. Where it is another one, nothing is changed.</summary>
    public required DateTimeOffset? Expected { get; init; }

    /// <summary>The next occurrence from here on; <c>null</c> for none.</summary>
    public required DateTimeOffset? Next { get; init; }

    /// <summary>Whether it is paused from here on; <c>null</c> to take an occurrence, which a schedule that is paused, or that no process declares, does not let happen.</summary>
    public bool? IsPaused { get; init; }

    /// <summary>The job of the occurrence; <c>null</c> for none. It does not start with its acceptance.</summary>
    public NewJob? Job { get; init; }

    /// <summary>Whether no job is stored while the last one of the schedule has not ended.</summary>
    public bool SkipsWhileOpen { get; init; }

    /// <summary>The occurrence that was missed, whether or not a job is stored for it now; <c>null</c> for none. For the log.</summary>
    public DateTimeOffset? Missed { get; init; }

    /// <summary>Whether a stored schedule of this name is changed.</summary>
    public bool AppliesTo(ScheduleRecord record) => record.Next == Expected && (IsPaused is not null || record is { IsPaused: false, UndeclaredSince: null });

    // ---- filled in by the commit ----

    /// <summary>Whether it was changed.</summary>
    public bool IsApplied { get; set; }

    /// <summary>Whether the job was left out, because the last one has not ended.</summary>
    public bool IsSkipped { get; set; }

    /// <summary>The schedule afterwards; <c>null</c> where there is none of this name.</summary>
    public ScheduleRecord? Record { get; set; }
}
