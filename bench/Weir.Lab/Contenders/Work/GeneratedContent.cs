using System.Globalization;
using System.Security.Cryptography;
using Microsoft.Win32.SafeHandles;

namespace Weir.Lab.Contenders.Work;

/// <summary>Content of any length that is stored nowhere: its bytes follow from their positions, so that any piece of it can be compared.</summary>
/// <param name="length">How long it is, or would be.</param>
internal sealed class GeneratedContent(long length) : Stream
{
    // No multiple of any buffer: a piece that is missing or comes twice shows.
    private const int Period = 1_000_003;

    // The same in every process.
    private const int Seed = 41;

    private static readonly byte[] Bytes = MakeBytes();

    private readonly long _length = length;
    private long _position;

    /// <summary>Where it ends or fails, before its length.</summary>
    public long Until { get; init; } = length;

    /// <summary>Whether reading fails there; otherwise it ends.</summary>
    public bool Fails { get; init; }

    /// <summary>Whether it says its length.</summary>
    public bool IsSized { get; init; }

    /// <summary>A file in which the number of bytes that were read stands; closed with this. Null where it is not read.</summary>
    public SafeFileHandle? Count { get; init; }

    public override bool CanRead => true;

    public override bool CanSeek => IsSized;

    public override bool CanWrite => false;

    public override long Length => IsSized ? _length : throw new NotSupportedException();

    public override long Position
    {
        get => IsSized ? _position : throw new NotSupportedException();
        set => _position = IsSized ? value : throw new NotSupportedException();
    }

    /// <summary>A piece from a position on, of at most so many bytes.</summary>
    public static ReadOnlyMemory<byte> Piece(long position, long most)
    {
        var start = (int)(position % Period);
        return Bytes.AsMemory(start, (int)Math.Min(most, Period - start));
    }

    /// <summary>Whether these are the bytes from a position on.</summary>
    public static bool Matches(long position, ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            var piece = Piece(position, bytes.Length).Span;
            if (!bytes[..piece.Length].SequenceEqual(piece))
                return false;

            bytes = bytes[piece.Length..];
            position += piece.Length;
        }

        return true;
    }

    /// <summary>Length and hash of all of it, as operations report them.</summary>
    public static string HashOf(long length)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        for (var position = 0L; position < length;)
        {
            var piece = Piece(position, length - position).Span;
            hash.AppendData(piece);
            position += piece.Length;
        }

        return string.Create(CultureInfo.InvariantCulture, $"{length} {Convert.ToHexString(hash.GetHashAndReset())}");
    }

    public override int Read(Span<byte> buffer)
    {
        var left = Math.Min(buffer.Length, Until - _position);
        if (left <= 0)
            return Fails && !buffer.IsEmpty ? throw new IOException("The source has failed, as asked.") : 0;

        var piece = Piece(_position, left).Span;
        piece.CopyTo(buffer);
        _position += piece.Length;
        if (Count is not null)
            RandomAccess.Write(Count, BitConverter.GetBytes(_position), 0);
        return piece.Length;
    }

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        return new ValueTask<int>(Read(buffer.Span));
    }

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) =>
        Position = offset + origin switch { SeekOrigin.Begin => 0, SeekOrigin.Current => _position, _ => _length };

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        Count?.Dispose();
        base.Dispose(disposing);
    }

    private static byte[] MakeBytes()
    {
        var bytes = new byte[Period];
        new Random(Seed).NextBytes(bytes);
        return bytes;
    }
}
