using System.ComponentModel;
using System.Globalization;

namespace Weir.Runtime;

/// <summary>
/// The selected bytes of content, as they are read to be sent. Where a length was said, a content that has fewer or more bytes fails before its last byte is given
/// out, so that it never looks complete; a file that grows while it is read ends with the length that it had. Not for concurrent use.
/// </summary>
/// <param name="content">Stays open.</param>
/// <param name="selection">What is sent of it.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class SelectedContent(Stream content, ContentSelection selection)
{
    private long _left = selection.Length ?? long.MaxValue;
    private bool _isBegun;
    private bool _isWhole;

    /// <summary>Reads the next bytes; 0 after the last.</summary>
    /// <param name="buffer">At least one byte.</param>
    /// <param name="cancellationToken">Passed to the content.</param>
    /// <exception cref="InvalidOperationException">The content has fewer or more bytes than was said.</exception>
    public async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        if (!selection.HasContent || _isWhole)
        {
            return 0;
        }

        Begin();
        var read = _left > 0 ? await content.ReadAsync(buffer[..(int)Math.Min(_left, buffer.Length)], cancellationToken).ConfigureAwait(false) : 0;
        _left -= read;
        if (selection.Length is not { } length)
        {
            _isWhole = read == 0;
            return read;
        }

        if (read == 0 && _left > 0)
        {
            throw Wrong(length, (length - _left).ToString(CultureInfo.InvariantCulture));
        }

        if (_left == 0)
        {
            // What follows the selected bytes of a stream that can seek is known not to be wanted.
            if (!selection.IsSeekable && await content.ReadAsync(new byte[1], cancellationToken).ConfigureAwait(false) > 0)
            {
                throw Wrong(length, "more");
            }

            _isWhole = true;
        }

        return read;
    }

    private void Begin()
    {
        if (!_isBegun)
        {
            _isBegun = true;
            if (selection.Offset > 0)
            {
                content.Seek(selection.Offset, SeekOrigin.Current);
            }
        }
    }

    private InvalidOperationException Wrong(long length, string found) =>
        new($"{selection.Operation} returned {found} bytes of content, and its length is {length}: that of the stream, or Content-Length. Return as many, or set no Content-Length.");
}
