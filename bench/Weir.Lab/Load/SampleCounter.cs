using System.Buffers.Text;

namespace Weir.Lab.Load;

/// <summary>Counts the objects in the body of a stream as it arrives, whatever stands around them.</summary>
/// <remarks>
/// Objects are numbered from 0 by <c>"id":N</c>, so that the last number is the count; and every object opens one brace, so
/// that the braces bear it out. The cost for a reader who shares the machine with the server is next to nothing.
/// </remarks>
internal sealed class SampleCounter
{
    // An object and what stands behind the last one.
    private const int TailLength = 256;

    private static readonly byte[] Id = "\"id\":"u8.ToArray();

    private readonly byte[] _tail = new byte[TailLength];
    private int _tailLength;
    private long _braces;

    /// <summary>Bytes of the body.</summary>
    public void Feed(ReadOnlySpan<byte> body)
    {
        _braces += body.Count((byte)'{');
        var kept = Math.Min(_tailLength, Math.Max(0, TailLength - body.Length));
        _tail.AsSpan(_tailLength - kept, kept).CopyTo(_tail);
        var added = body[^Math.Min(body.Length, TailLength)..];
        added.CopyTo(_tail.AsSpan(kept));
        _tailLength = kept + added.Length;
    }

    /// <summary>How many objects came. Throws when that cannot be: one was left out, or doubled.</summary>
    public long Count()
    {
        var tail = _tail.AsSpan(0, _tailLength);
        var at = tail.LastIndexOf(Id);
        if (at < 0 || !Utf8Parser.TryParse(tail[(at + Id.Length)..], out long last, out _))
            throw new InvalidDataException($"The stream ends without an object: '{System.Text.Encoding.UTF8.GetString(tail)}'.");

        // What says that the stream is over may be an object too.
        var count = last + 1;
        return _braces - count is 0 or 1
            ? count
            : throw new InvalidDataException($"The last of {_braces} objects has the number {last}.");
    }
}
