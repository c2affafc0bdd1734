using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>Items whose producer blocks the thread that requests them. One consumer, on one thread.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class BlockingItemSource : IDisposable
{
    /// <summary>Advances to the next item; <c>false</c> after the last. Throws the producer's failure.</summary>
    public abstract bool MoveNext();

    /// <summary>Writes the current item as one JSON value.</summary>
    /// <param name="output">The bytes are appended to it.</param>
    public abstract void WriteCurrent(PayloadWriter output);

    /// <summary>Writes the current item, which is bytes, as it is.</summary>
    /// <param name="output">The bytes are appended to it.</param>
    /// <exception cref="NotSupportedException">The items are no bytes.</exception>
    public virtual void WriteRawCurrent(PayloadWriter output) => throw new NotSupportedException("These items have no raw form.");

    /// <summary>Stops the producer.</summary>
    public void Dispose()
    {
        Dispose(true);
        GC.SuppressFinalize(this);
    }

    /// <summary>Stops the producer.</summary>
    /// <param name="disposing">Always <c>true</c>; there is no finalizer.</param>
    protected abstract void Dispose(bool disposing);
}
