namespace Weir.Jobs.Rules;

/// <summary>What the rules need of a job's kind.</summary>
internal sealed record JobTraits
{
    /// <summary>Its author declared that running it twice is harmless: it is repeated when how it ended is not known.</summary>
    public bool IsIdempotent { get; init; }

    /// <summary>How often it is tried when it throws or takes too long, the first time included. 1 or more.</summary>
    public int Attempts { get; init; } = 1;

    /// <summary>The pause after the first failure; each further one is four times as long.</summary>
    public TimeSpan Backoff { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>The longest pause.</summary>
    public TimeSpan MaxBackoff { get; init; } = TimeSpan.FromHours(1);

    /// <summary>The crash with which an idempotent job ends: 2, or 5 where other calls run in the same process and may be the cause.</summary>
    public int MostCrashes { get; init; } = 2;

    /// <summary>The loss with which an idempotent job ends: 3, or 5 where other calls run in the same process.</summary>
    public int MostLosses { get; init; } = 3;
}
