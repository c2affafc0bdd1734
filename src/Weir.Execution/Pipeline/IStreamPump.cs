using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>
/// Takes the items of one stream where they are produced: on the caller's flow, on a thread of the lane, or from a worker. The
/// executor calls exactly one of its methods, once, or none when the call failed before there was a source. The pump
/// does not dispose the source; exceptions of the source pass through it.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IStreamPump
{
    /// <summary>Takes items of an asynchronous source until it ends.</summary>
    /// <param name="source">The source; the pump is its only consumer.</param>
    /// <param name="cancellationToken">Is cancelled when the caller cancels or disconnects, or the deadline passes.</param>
    ValueTask PumpAsync(ItemSource source, CancellationToken cancellationToken);

    /// <summary>Takes items of a blocking source until it ends; runs on a thread of the lane and may block it.</summary>
    /// <param name="source">The source; the pump is its only consumer.</param>
    /// <param name="cancellationToken">Is cancelled when the caller cancels or disconnects, or the deadline passes; checked after every item.</param>
    void Pump(BlockingItemSource source, CancellationToken cancellationToken);
}
