namespace Weir;

/// <summary>Items that come asynchronously. One consumer; members are called one at a time.</summary>
public abstract class ItemSource : IAsyncDisposable
{
    /// <summary>Advances to the next item; <c>false</c> after the last. Throws the producer's failure.</summary>
    public abstract ValueTask<bool> MoveNextAsync();

    /// <summary>Writes the current item as one JSON value.</summary>
    /// <param name="output">Takes the bytes, appended.</param>
    public abstract void WriteCurrent(PayloadWriter output);

    /// <summary>Stops the producer. Called once, also after a failure, never while <see cref="MoveNextAsync"/> runs.</summary>
    public abstract ValueTask DisposeAsync();
}
