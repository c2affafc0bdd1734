namespace Weir.Cli.Jobs;

/// <summary>How long a server that cannot be reached is asked again: a host that is replaced is back within a minute.</summary>
/// <param name="time">The clock.</param>
internal sealed class Patience(TimeProvider time)
{
    private static readonly TimeSpan Most = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(5);

    private long _last = time.GetTimestamp();
    private int _failures;

    /// <summary>The server has answered.</summary>
    public void Renew() => (_last, _failures) = (time.GetTimestamp(), 0);

    /// <summary>Waits before the next request.</summary>
    /// <param name="asked">What the server asks for; <c>null</c> where it does not.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>Whether there shall be one.</returns>
    public async Task<bool> WaitAsync(TimeSpan? asked, CancellationToken cancellationToken)
    {
        if (time.GetElapsedTime(_last) >= Most)
        {
            return false;
        }

        var pause = asked ?? TimeSpan.FromSeconds(0.5 * Math.Pow(2, Math.Min(_failures++, 4)));
        await Task.Delay(pause < TimeSpan.FromMilliseconds(100) ? TimeSpan.FromMilliseconds(100) : pause > LongestPause ? LongestPause : pause, time, cancellationToken);
        return true;
    }
}
