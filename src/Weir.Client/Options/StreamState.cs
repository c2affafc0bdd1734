namespace Weir;

/// <summary>Where the client of a stream is: see <see cref="WeirClientOptions.StreamStateChanged"/>. Immutable.</summary>
public sealed class StreamState
{
    internal StreamState(string operation, StreamPhase phase, long nextIndex, int attempt, Exception? cause)
    {
        Operation = operation;
        Phase = phase;
        NextIndex = nextIndex;
        Attempt = attempt;
        Cause = cause;
    }

    /// <summary>The operation: <c>Orders/All</c>.</summary>
    public string Operation { get; }

    /// <summary>What the client is doing.</summary>
    public StreamPhase Phase { get; }

    /// <summary>The index of the next item.</summary>
    public long NextIndex { get; }

    /// <summary>In <see cref="StreamPhase.Resuming"/>, which attempt since the last item, from 1; 0 otherwise.</summary>
    public int Attempt { get; }

    /// <summary>In <see cref="StreamPhase.Resuming"/> what interrupted the stream, in <see cref="StreamPhase.Ended"/> what it ended with; <c>null</c> where nothing went wrong.</summary>
    public Exception? Cause { get; }

    /// <inheritdoc/>
    public override string ToString() => Phase == StreamPhase.Resuming ? $"{Operation}: {Phase}({Attempt}) at {NextIndex}" : $"{Operation}: {Phase} at {NextIndex}";
}
