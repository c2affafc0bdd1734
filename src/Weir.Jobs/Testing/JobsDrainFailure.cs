namespace Weir;

/// <summary>An attempt that ended with an exception. Immutable.</summary>
public sealed record JobsDrainFailure
{
    /// <summary>The job.</summary>
    public required Guid Id { get; init; }

    /// <summary>Its kind.</summary>
    public required string Kind { get; init; }

    /// <summary>How often the job was started, this time included.</summary>
    public required int Attempt { get; init; }

    /// <summary>The job after the attempt: <see cref="JobState.Failed"/>, or waiting for another attempt.</summary>
    public required JobState State { get; init; }

    /// <summary>Why it failed; <see cref="JobReason.None"/> where it waits for another attempt.</summary>
    public required JobReason Reason { get; init; }

    /// <summary>
    /// What the operation threw: the object itself, where it ran in the test's process. An attempt that took too long has a <see cref="DeadlineExceededException"/>, and one whose stored arguments do not fit the operation a
    /// <see cref="BindingException"/>.
    /// </summary>
    public required Exception Exception { get; init; }
}
