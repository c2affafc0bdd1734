namespace Weir.Cli.Fetch;

/// <summary>What became of one URL.</summary>
/// <param name="Index">Its position in the list.</param>
/// <param name="Text">As it was given.</param>
internal readonly record struct FetchOutcome(long Index, string Text)
{
    /// <summary>The status of the answer; <c>null</c> without one.</summary>
    public int? Status { get; init; }

    /// <summary>Bytes of the body that were read.</summary>
    public long Bytes { get; init; }

    /// <summary>How long it took; <c>null</c> if nothing was sent.</summary>
    public FanOutTiming? Timing { get; init; }

    /// <summary>The file with the body.</summary>
    public string? File { get; init; }

    /// <summary>Why there is no answer, or not all of it; <c>null</c> with any status.</summary>
    public string? Error { get; init; }

    /// <summary>It counts as done: another run need not fetch it.</summary>
    public bool IsSuccess => Error is null && Status is >= 200 and <= 299;

    /// <summary>Why it does not count as done.</summary>
    public string Reason => Error ?? FormattableString.Invariant($"status {Status}");
}
