namespace Weir.Lab.Contenders.Stalls;

/// <summary>One stall of a server: it begins a while after the first request, and every request that arrives during it waits for its end.</summary>
/// <param name="after">How long after the first request it begins.</param>
/// <param name="length">How long it lasts.</param>
/// <param name="time">The clock of both.</param>
/// <remarks>Requests may pass on any thread.</remarks>
internal sealed class Stall(TimeSpan after, TimeSpan length, TimeProvider time)
{
    private readonly TaskCompletionSource<TimeSpan> _end = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private volatile bool _isStalled;
    private int _hasBegun;
    private int _held;

    /// <summary>How many requests have waited so far.</summary>
    public int Held => Volatile.Read(ref _held);

    /// <summary>How long it lasted, once it is over.</summary>
    public Task<TimeSpan> End => _end.Task;

    /// <summary>Completes at once, or at the end of the stall.</summary>
    public Task PassAsync()
    {
        if (Volatile.Read(ref _hasBegun) == 0 && Interlocked.Exchange(ref _hasBegun, 1) == 0)
            _ = RunAsync();
        if (!_isStalled)
            return Task.CompletedTask;

        Interlocked.Increment(ref _held);
        return _end.Task;
    }

    private async Task RunAsync()
    {
        await Task.Delay(after, time);
        var began = time.GetTimestamp();
        _isStalled = true;
        await Task.Delay(length, time);
        _isStalled = false;
        _end.SetResult(time.GetElapsedTime(began));
    }
}
