namespace Weir.Execution.Processes;

/// <summary>How long something may take at most, and whether it is to stop before.</summary>
internal sealed class Patience
{
    private readonly long _begun;
    private readonly TimeSpan _most;
    private readonly Func<bool> _isStopped;

    /// <param name="most">The time, from now on.</param>
    /// <param name="isStopped">Whether it is to stop before. Called every few milliseconds, without a lock.</param>
    public Patience(TimeSpan most, Func<bool> isStopped)
    {
        _begun = TimeProvider.System.GetTimestamp();
        _most = most;
        _isStopped = isStopped;
    }

    /// <summary>What is left; zero when the time has passed, or it is to stop.</summary>
    public TimeSpan Left => _isStopped() || TimeProvider.System.GetElapsedTime(_begun) is var gone && gone >= _most ? TimeSpan.Zero : _most - gone;
}
