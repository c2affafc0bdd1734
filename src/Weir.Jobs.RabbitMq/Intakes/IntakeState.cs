namespace Weir.Jobs.RabbitMq.Intakes;

/// <summary>How the intake of one queue is doing, for the health check. Any thread.</summary>
internal sealed class IntakeState
{
    private int _waiting;
    private volatile string? _failure;
    private volatile string? _waitsFor;
    private volatile bool _isConnected;

    /// <summary>Whether messages are delivered.</summary>
    public bool IsConnected => _isConnected;

    /// <summary>Why they are not; <c>null</c> where that is not known.</summary>
    public string? Failure => _failure;

    /// <summary>How many messages wait, because they can neither be stored nor be refused now.</summary>
    public int Waiting => Volatile.Read(ref _waiting);

    /// <summary>Why the last of them waits.</summary>
    public string? WaitsFor => _waitsFor;

    public void Connected()
    {
        _failure = null;
        _isConnected = true;
    }

    public void NotConnected(string? failure)
    {
        _failure = failure;
        _isConnected = false;
    }

    /// <summary>A message waits.</summary>
    /// <returns>Whether it is the only one.</returns>
    public bool BeginWait(string reason)
    {
        _waitsFor = reason;
        return Interlocked.Increment(ref _waiting) == 1;
    }

    public void EndWait() => Interlocked.Decrement(ref _waiting);
}
