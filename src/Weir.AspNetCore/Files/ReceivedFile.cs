using Microsoft.AspNetCore.Http;
using Weir.Runtime;

namespace Weir.AspNetCore.Files;

/// <summary>A file as the operation reads it while it arrives: once, forward. Not for concurrent use.</summary>
/// <param name="files">It arrives among them.</param>
/// <param name="descriptor">What came before its content.</param>
internal sealed class ReceivedFile(ReceivedFiles files, FileDescriptor descriptor) : IFormFile
{
    private int _isOpened;
    private HeaderDictionary? _headers;

    /// <summary>It arrives among them.</summary>
    public ReceivedFiles Files => files;

    /// <summary>What came before its content.</summary>
    public FileDescriptor Descriptor => descriptor;

    /// <summary>Whether its content was not opened yet.</summary>
    public bool IsUnread => _isOpened == 0;

    public string Name => descriptor.Name;

    public string FileName => descriptor.FileName;

    public string ContentType => descriptor.ContentType ?? "";

    public string ContentDisposition => Headers.ContentDisposition.ToString();

    public IHeaderDictionary Headers
    {
        get
        {
            if (_headers is null)
            {
                _headers = [];
                foreach (var (name, value) in descriptor.Headers)
                {
                    _headers[name] = value;
                }
            }

            return _headers;
        }
    }

    public long Length => descriptor.Length
        ?? throw new NotSupportedException($"The length of '{FileName}' is not known before it has been read, because it is read while it arrives: count the bytes of its content.");

    public Stream OpenReadStream() => Interlocked.Exchange(ref _isOpened, 1) == 0
        ? ContentItems.ReceiveStream(new FileContent(files, this))
        : throw new InvalidOperationException($"The content of '{FileName}' can be read once, because it is read while it arrives; store what is needed again.");

    public void CopyTo(Stream target)
    {
        using var content = OpenReadStream();
        content.CopyTo(target);
    }

    public async Task CopyToAsync(Stream target, CancellationToken cancellationToken = default)
    {
        await using var content = OpenReadStream();
        await content.CopyToAsync(target, cancellationToken).ConfigureAwait(false);
    }
}
