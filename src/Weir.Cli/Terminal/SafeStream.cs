using System.Text;

namespace Weir.Cli.Terminal;

/// <summary>Writes bytes to a terminal as text that cannot command it (<see cref="SafeText"/>). One writer at a time.</summary>
/// <param name="writer">The terminal. Escapes by itself.</param>
internal sealed class SafeStream(TextWriter writer) : Stream
{
    private readonly Decoder _decoder = Encoding.UTF8.GetDecoder();

    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        var letters = new char[_decoder.GetCharCount(buffer, flush: false)];
        writer.Write(new string(letters, 0, _decoder.GetChars(buffer, letters, flush: false)));
    }

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) => WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        var letters = new char[_decoder.GetCharCount(buffer.Span, flush: false)];
        await writer.WriteAsync(new string(letters, 0, _decoder.GetChars(buffer.Span, letters, flush: false)).AsMemory(), cancellationToken);
    }

    public override void Flush() => writer.Flush();

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();
}
