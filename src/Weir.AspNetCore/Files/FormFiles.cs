using System.ComponentModel;
using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Files;

namespace Weir.Runtime;

/// <summary>Files of a form as items, for each a descriptor and then its bytes: how they arrive where the operation runs, and how they are sent there. For generated code.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class FormFiles
{
    internal const string Expected = "a file of a multipart form";

    /// <summary>Waits for the descriptor of the one file. Its content is read while the operation runs.</summary>
    /// <param name="items">Where it arrives.</param>
    /// <param name="name">The field of the form.</param>
    /// <param name="cancellationToken">Cancels the waiting.</param>
    /// <exception cref="BindingException">There is no file.</exception>
    public static async ValueTask<IFormFile> ReceiveAsync(ItemReader items, string name, CancellationToken cancellationToken) =>
        await ReceiveOrNullAsync(items, name, cancellationToken).ConfigureAwait(false)
        ?? throw new BindingException([new BindingError(name, "form", BindingErrorReason.Missing, Expected)]);

    /// <summary>Waits for the descriptor of the one file; <c>null</c> where there is none.</summary>
    /// <param name="items">Where it arrives.</param>
    /// <param name="name">The field of the form.</param>
    /// <param name="cancellationToken">Cancels the waiting.</param>
    public static async ValueTask<IFormFile?> ReceiveOrNullAsync(ItemReader items, string name, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(items);
        return await new ReceivedFiles(items, name, isList: false).NextAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Files that are enumerated once, as they arrive.</summary>
    /// <param name="items">Where they arrive.</param>
    /// <param name="name">The field of the form.</param>
    public static IReadOnlyList<IFormFile> ReceiveList(ItemReader items, string name)
    {
        ArgumentNullException.ThrowIfNull(items);
        return new ReceivedFileList(new ReceivedFiles(items, name, isList: true));
    }

    /// <summary>Sends a caller's file. Nothing is read before the first advance.</summary>
    /// <param name="file">What the caller gave; <c>null</c> for no file.</param>
    /// <param name="cancellationToken">Cancels reading it.</param>
    public static ItemSource Send(IFormFile? file, CancellationToken cancellationToken) => file switch
    {
        null => new SentFiles([], cancellationToken),
        ReceivedFile { IsUnread: true } received => new ForwardedFiles(received.Files, received, cancellationToken),
        _ => new SentFiles([file], cancellationToken),
    };

    /// <summary>Sends a caller's files, one after the other. Nothing is read before the first advance.</summary>
    /// <param name="files">What the caller gave; <c>null</c> for no file.</param>
    /// <param name="cancellationToken">Cancels reading them.</param>
    public static ItemSource Send(IReadOnlyList<IFormFile>? files, CancellationToken cancellationToken) => files is ReceivedFileList { IsUnread: true } received
        ? new ForwardedFiles(received.Files, first: null, cancellationToken)
        : new SentFiles(files ?? [], cancellationToken);
}
