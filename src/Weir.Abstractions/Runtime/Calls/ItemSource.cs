using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>Items that come asynchronously: of a streamed result, or of a streamed request on its way to a worker. One consumer; members are called one at a time.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class ItemSource : IAsyncDisposable
{
    /// <summary>How <see cref="WriteCurrent"/> writes the current item: raw only for bytes of a streamed request.</summary>
    public virtual ResultEncoding CurrentEncoding => ResultEncoding.Json;

    /// <summary>Advances to the next item; <c>false</c> after the last. Throws the producer's failure.</summary>
    public abstract ValueTask<bool> MoveNextAsync();

    /// <summary>Writes the current item: as one JSON value, unless <see cref="CurrentEncoding"/> is another encoding.</summary>
    /// <param name="output">The bytes are appended to it.</param>
    public abstract void WriteCurrent(PayloadWriter output);

    /// <summary>Writes the current item, which is bytes, as it is.</summary>
    /// <param name="output">The bytes are appended to it.</param>
    /// <exception cref="NotSupportedException">The items are no bytes.</exception>
    public virtual void WriteRawCurrent(PayloadWriter output) => throw new NotSupportedException("These items have no raw form.");

    /// <summary>Stops the producer. Called once, also after a failure, never while <see cref="MoveNextAsync"/> runs.</summary>
    public abstract ValueTask DisposeAsync();
}
