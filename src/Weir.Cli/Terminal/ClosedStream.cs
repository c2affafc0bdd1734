namespace Weir.Cli.Terminal;

/// <summary>Stands for standard input or output where the process was started without it: the first read or write fails.</summary>
/// <param name="name">What messages call it.</param>
internal sealed class ClosedStream(string name) : Stream
{
    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw Failure();

    public override long Position
    {
        get => throw Failure();
        set => throw Failure();
    }

    public override int Read(byte[] buffer, int offset, int count) => throw Failure();

    public override void Write(byte[] buffer, int offset, int count) => throw Failure();

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw Failure();

    public override void SetLength(long value) => throw Failure();

    private IOException Failure() => new($"{name} is closed; the command was started without it.");
}
