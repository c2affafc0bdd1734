namespace Weir.AspNetCore.Resuming;

/// <summary>
/// Streams without a reader, in the order in which they give way to new ones: complete ones first, because a reader that has seen the end does not come back, and
/// of both the longest left first. Guarded by the lock of <see cref="KeptStreams"/>; bounded by the streams that are kept.
/// </summary>
internal sealed class LeftStreams
{
    private readonly LinkedList<KeptStream> _complete = new();
    private readonly LinkedList<KeptStream> _running = new();

    /// <summary>The first to give way; <c>null</c> for none.</summary>
    internal KeptStream? First => (_complete.First ?? _running.First)?.Value;

    /// <summary>Adds a stream behind the others.</summary>
    /// <returns>By which it is removed: <c>node.List.Remove(node)</c>.</returns>
    internal LinkedListNode<KeptStream> Add(KeptStream stream) => (stream.IsOver ? _complete : _running).AddLast(stream);
}
