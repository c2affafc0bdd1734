namespace Weir.Client.Jobs;

/// <summary>How long to wait before a request is repeated.</summary>
internal static class RetryPause
{
    private static readonly TimeSpan First = TimeSpan.FromMilliseconds(200);

    // What a server may ask for instead: a shorter wait would be a loop, and a longer one a caller that never comes back.
    private static readonly TimeSpan ShortestAsked = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan LongestAsked = TimeSpan.FromMinutes(1);

    /// <summary>The wait after a failed attempt: twice as long each time, times a random 0.5 to 1.</summary>
    /// <param name="attempt">Which one, from 1.</param>
    /// <param name="longest">The longest wait.</param>
    internal static TimeSpan Of(int attempt, TimeSpan longest)
    {
        var ceiling = Math.Min(longest.TotalMilliseconds, First.TotalMilliseconds * Math.Pow(2, Math.Min(attempt, 30) - 1));
        var random = new Random(Guid.NewGuid().GetHashCode());
        return TimeSpan.FromMilliseconds(ceiling * (0.5 + (random.NextDouble() / 2)));
    }

    /// <summary>The wait that a server asks for, within limits; <c>null</c> where it asks for none.</summary>
    internal static TimeSpan? Asked(TimeSpan? wait) => wait is not { } asked ? null : asked < ShortestAsked ? ShortestAsked : asked > LongestAsked ? LongestAsked : asked;
}
