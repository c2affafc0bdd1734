using System.ComponentModel;
using System.IO.Pipelines;

namespace Weir.Runtime;

/// <summary>Content, bytes of any length, as raw items: how it arrives where the operation runs, and how it is sent there. For generated code.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ContentItems
{
    /// <summary>The longest piece that is sent as one item: 64 KB.</summary>
    public const int PieceSize = 64 * 1024;

    /// <summary>Content as a stream that can be read once, forward.</summary>
    /// <param name="items">Where it arrives.</param>
    public static Stream ReceiveStream(ItemReader items)
    {
        ArgumentNullException.ThrowIfNull(items);
        return new ReceivedContent(items);
    }

    /// <summary>Content as a pipe that can be read once.</summary>
    /// <param name="items">Where it arrives.</param>
    public static PipeReader ReceivePipe(ItemReader items) => PipeReader.Create(ReceiveStream(items), new StreamPipeReaderOptions(bufferSize: PieceSize));

    /// <summary>Sends a caller's stream, from its position to its end. Nothing is read before the first advance; the stream stays open.</summary>
    /// <param name="content">What the caller gave.</param>
    /// <param name="cancellationToken">Cancels reading it.</param>
    /// <exception cref="ArgumentNullException">The caller gave no stream.</exception>
    public static ItemSource Send(Stream content, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(content);
        return content is ReceivedContent { IsUnread: true } received ? new ForwardedContent(received.Items, cancellationToken) : new SentContent(content, cancellationToken);
    }

    /// <summary>Sends what a caller's pipe has, to its end. Nothing is read before the first advance; the pipe is not completed.</summary>
    /// <param name="content">What the caller gave.</param>
    /// <param name="cancellationToken">Cancels reading it.</param>
    /// <exception cref="ArgumentNullException">The caller gave no pipe.</exception>
    public static ItemSource Send(PipeReader content, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(content);
        return new SentContent(content.AsStream(leaveOpen: true), cancellationToken);
    }
}
