namespace Weir;

/// <summary>
/// A client received items, but not the proof that they are all: the connection was cut, the server was silent for too long, or the
/// counts differ. The items before it are correct and were delivered once.
/// </summary>
public sealed class StreamInterruptedException : WeirException
{
    /// <summary>Describes an interrupted stream.</summary>
    /// <param name="operation">The operation: <c>Orders/All</c>.</param>
    /// <param name="nextIndex">The index of the first item that was not delivered.</param>
    /// <param name="cause">What happened.</param>
    /// <param name="inner">What the connection threw; <c>null</c> where it only ended.</param>
    public StreamInterruptedException(string operation, long nextIndex, string cause, Exception? inner = null)
        : base(CallStatus.Cancelled, WeirCodes.StreamInterrupted, $"The stream of {operation} was interrupted before item {nextIndex}: {cause}", inner)
    {
        NextIndex = nextIndex;
        Cause = cause;
    }

    /// <summary>The index of the first item that was not delivered, from 0: as many items were.</summary>
    public long NextIndex { get; }

    /// <summary>What happened.</summary>
    public string Cause { get; }
}
