namespace Weir.Http.FanOut;

/// <summary>How often a request was sent, which only handlers below those that retry can see. Shared by the copies of a request that hedging makes.</summary>
internal sealed class AttemptCounter
{
    private static readonly HttpRequestOptionsKey<AttemptCounter> Key = new("Weir.Http.Attempts");

    // Set by the first handler that counts; without one, requests carry no counter.
    private static volatile bool _isUsed;
    private int _count;

    /// <summary>At least one, also where no handler counts.</summary>
    public int Count => Math.Max(1, Volatile.Read(ref _count));

    /// <summary>A handler counts.</summary>
    public static void Use() => _isUsed = true;

    /// <summary>Gives a request a counter, where a handler counts.</summary>
    public static AttemptCounter? AddTo(HttpRequestMessage? request)
    {
        if (!_isUsed || request is null)
        {
            return null;
        }

        var counter = new AttemptCounter();
        request.Options.Set(Key, counter);
        return counter;
    }

    /// <summary>Counts an attempt to send a request.</summary>
    public static void CountAttempt(HttpRequestMessage request)
    {
        if (request.Options.TryGetValue(Key, out var counter))
        {
            Interlocked.Increment(ref counter._count);
        }
    }
}
