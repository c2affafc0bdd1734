namespace Weir.Execution.Processes;

/// <summary>Splits the bytes of one output stream into lines of a bounded length.</summary>
/// <param name="stream">Passed on with every line.</param>
/// <param name="sink">Receives the lines.</param>
internal sealed class LineSplitter(OutputStream stream, IOutputSink sink)
{
    /// <summary>A longer line is passed on up to this length and marked as cut.</summary>
    public const int MaxLineBytes = 8 * 1024;

    // Grows to MaxLineBytes, and only for a line that arrives in pieces.
    private byte[] _partial = [];
    private int _partialLength;
    private bool _skipping;

    public void Feed(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            var end = bytes.IndexOf((byte)'\n');
            if (end < 0)
            {
                Keep(bytes);
                return;
            }

            if (_partialLength == 0 && !_skipping)
            {
                Emit(bytes[..end]);
            }
            else
            {
                Keep(bytes[..end]);
                EndLine();
            }

            bytes = bytes[(end + 1)..];
        }
    }

    /// <summary>Passes on the bytes after the last line end.</summary>
    public void Finish()
    {
        if (_partialLength > 0)
        {
            EndLine();
        }
    }

    private void Keep(ReadOnlySpan<byte> bytes)
    {
        if (_skipping)
        {
            return;
        }

        var space = MaxLineBytes - _partialLength;
        var kept = bytes.Length <= space ? bytes : bytes[..space];
        if (_partial.Length < _partialLength + kept.Length)
        {
            Array.Resize(ref _partial, Math.Min(MaxLineBytes, Math.Max(256, (_partialLength + kept.Length) * 2)));
        }

        kept.CopyTo(_partial.AsSpan(_partialLength));
        _partialLength += kept.Length;
        if (bytes.Length > space)
        {
            // At once, not at the line's end: a line without an end would never be passed on.
            sink.OnLine(stream, _partial.AsSpan(0, _partialLength), cut: true);
            _partialLength = 0;
            _skipping = true;
        }
    }

    private void EndLine()
    {
        if (!_skipping)
        {
            Emit(_partial.AsSpan(0, _partialLength));
        }

        _partialLength = 0;
        _skipping = false;
    }

    private void Emit(ReadOnlySpan<byte> line)
    {
        if (line.Length > MaxLineBytes)
        {
            sink.OnLine(stream, line[..MaxLineBytes], cut: true);
            return;
        }

        sink.OnLine(stream, line is [.. var text, (byte)'\r'] ? text : line, cut: false);
    }
}
