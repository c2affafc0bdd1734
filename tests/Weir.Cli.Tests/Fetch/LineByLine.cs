using System.Globalization;
using System.Text;

namespace Weir.Cli.Tests.Fetch;

/// <summary>An input without end: each read gives one line, as a pipe does whose writer flushes each line.</summary>
internal sealed class LineByLine(Func<int, string> line) : Stream
{
    private int _read;

    /// <summary>Lines that were read.</summary>
    public int Lines => Volatile.Read(ref _read);

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override int Read(byte[] buffer, int offset, int count) =>
        Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{line(Interlocked.Increment(ref _read) - 1)}\n"), buffer.AsSpan(offset, count));

    public override void Flush() => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
}
