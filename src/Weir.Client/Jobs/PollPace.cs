namespace Weir.Client.Jobs;

/// <summary>How long each request waits on the server for a job to end, and the pauses between requests. Used by one flow.</summary>
internal sealed class PollPace
{
    private const int LongestPoll = 60;
    private const int ShortestPoll = 5;

    // The answer must come before HttpClient gives up.
    private const int Margin = 5;

    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(20);

    // An answer that comes earlier was not waited for: by a server that stops, or has too many waiters.
    private static readonly TimeSpan ShortestHeld = TimeSpan.FromSeconds(1);

    private readonly int? _mostUnknown;
    private int _early;
    private int _unknown;

    /// <summary>Begins a wait.</summary>
    /// <param name="requestTimeout">How long a response may take to begin; negative for no limit.</param>
    /// <param name="mostUnknown">After how many failures in a row of a kind that a wait does not know it gives up; <c>null</c> for never.</param>
    internal PollPace(TimeSpan requestTimeout, int? mostUnknown)
    {
        _mostUnknown = mostUnknown;
        Seconds = requestTimeout < TimeSpan.Zero ? LongestPoll : (int)Math.Min(LongestPoll, Math.Max(1, requestTimeout.TotalSeconds - Margin));
    }

    /// <summary>How many seconds the next request is to wait.</summary>
    internal int Seconds { get; private set; }

    /// <summary>The pause after an answer that the job has not ended.</summary>
    /// <param name="waited">How long the answer took.</param>
    /// <param name="asked">What the server asks for; <c>null</c> for nothing.</param>
    internal TimeSpan AfterAnswer(TimeSpan waited, TimeSpan? asked)
    {
        _unknown = 0;
        if (waited >= ShortestHeld)
        {
            _early = 0;
            return TimeSpan.Zero;
        }

        return RetryPause.Asked(asked) ?? RetryPause.Of(++_early, LongestPause);
    }

    /// <summary>The pause after a failure; <c>null</c> where another request would fail as well.</summary>
    internal TimeSpan? AfterFailure(Exception error)
    {
        switch (error)
        {
            case HttpRequestException or IOException:
                break;
            case TimeoutException or OperationCanceledException or WeirException { Problem: { Status: 504 } }:
                Shorten();
                break;
            case WeirException { Problem: { Status: 429 or 502 or 503 } }:
                break;
            case WeirException { Problem: { Status: not 500 } or null } or InvalidOperationException or ArgumentException or NotSupportedException:
                return null;
            default:
                // What handlers of the HttpClient throw (resilience, tokens) may pass, or not.
                if (++_unknown > _mostUnknown)
                {
                    return null;
                }

                if (error is not WeirException)
                {
                    Shorten();
                }

                break;
        }

        return RetryPause.Asked((error as WeirException)?.Problem?.RetryAfter) ?? RetryPause.Of(++_early, LongestPause);
    }

    // Something between here and the server does not wait so long.
    private void Shorten() => Seconds = Math.Min(Seconds, Math.Max(ShortestPoll, Seconds / 2));
}
