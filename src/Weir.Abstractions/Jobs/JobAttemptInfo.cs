namespace Weir;

/// <summary>One attempt of a job that ended without success, or one change of its arguments. Immutable.</summary>
public sealed record JobAttemptInfo
{
    /// <summary>The number of its start, which grows with each.</summary>
    public required long Fence { get; init; }

    /// <summary>When it was started.</summary>
    public required DateTimeOffset Started { get; init; }

    /// <summary>When it ended.</summary>
    public required DateTimeOffset Ended { get; init; }

    /// <summary>How it ended, in one word: <c>threw</c>, <c>crashed</c>, <c>lost</c>, <c>timeout</c>, <c>cancelled</c>, <c>interrupted</c> and others; <c>edited</c> for arguments that were changed.</summary>
    public required string Outcome { get; init; }

    /// <summary>Of arguments that were changed: those before, as a JSON object; <c>null</c> otherwise.</summary>
    public string? Arguments { get; init; }

    /// <summary>The full name of the exception's type; <c>null</c> where nothing was thrown.</summary>
    public string? ExceptionType { get; init; }

    /// <summary>What went wrong; <c>null</c> where there is nothing to say.</summary>
    public string? Message { get; init; }

    /// <summary>The stack trace, as text; <c>null</c> where there is none.</summary>
    public string? StackTrace { get; init; }

    /// <summary>Names the crash report of its worker, also in the host's log; <c>null</c> where no worker failed.</summary>
    public string? ReportId { get; init; }

    /// <summary>The crash report itself: what the worker ran and printed last; <c>null</c> where no worker failed.</summary>
    public string? Report { get; init; }
}
