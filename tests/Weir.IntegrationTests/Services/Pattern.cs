using System.Security.Cryptography;

namespace Weir.IntegrationTests.Services;

/// <summary>Content of any length that is stored nowhere: its bytes follow from their positions.</summary>
internal sealed class Pattern(long length, bool seekable) : Stream
{
    private static readonly byte[] Bytes = MakeBytes();

    private readonly TaskCompletionSource _disposed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _position;
    private long _taken;

    /// <summary>Whether reading fails where the content ends.</summary>
    internal bool Fails { get; init; }

    /// <summary>Whether it never ends.</summary>
    internal bool IsEndless { get; init; }

    /// <summary>How much was read.</summary>
    internal long Taken => Volatile.Read(ref _taken);

    internal Task Disposed => _disposed.Task;

    /// <summary>The length and the hash of all of it, as the probes report them.</summary>
    internal static string Expected(long length)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        for (var left = length; left > 0; left -= Math.Min(left, Bytes.Length))
        {
            hash.AppendData(Bytes.AsSpan(0, (int)Math.Min(left, Bytes.Length)));
        }

        return $"{length} {Convert.ToHexString(hash.GetHashAndReset())}";
    }

    public override bool CanRead => true;

    public override bool CanSeek => seekable;

    public override bool CanWrite => false;

    public override long Length => seekable ? length : throw new NotSupportedException();

    public override long Position
    {
        get => seekable ? _position : throw new NotSupportedException();
        set => _position = seekable ? value : throw new NotSupportedException();
    }

    public override int Read(byte[] buffer, int offset, int count)
    {
        var at = (int)(_position % Bytes.Length);
        var read = (int)Math.Min(Math.Min(count, IsEndless ? count : length - _position), Bytes.Length - at);
        if (read == 0 && Fails && count > 0)
        {
            throw new IOException("the disk is gone");
        }

        Bytes.AsSpan(at, read).CopyTo(buffer.AsSpan(offset));
        _position += read;
        Interlocked.Add(ref _taken, read);
        return read;
    }

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => Position = offset + origin switch { SeekOrigin.Begin => 0, SeekOrigin.Current => _position, _ => length };

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        _disposed.TrySetResult();
        base.Dispose(disposing);
    }

    private static byte[] MakeBytes()
    {
        var bytes = new byte[100_003];
        new Random(41).NextBytes(bytes);
        return bytes;
    }
}
