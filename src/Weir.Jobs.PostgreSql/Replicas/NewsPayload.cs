using System.Buffers.Binary;
using System.Text;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Replicas;

/// <summary>
/// ReplicaNews as the payload of a notification, which is text of less than 8,000 bytes: the id of the process that sends it, then the rest in Base64. What is too much becomes "look".
/// </summary>
internal static class NewsPayload
{
    /// <summary>How long a payload is at most, in characters, all of them ASCII.</summary>
    public const int Longest = 7_900;

    private const int Sender = 32;
    private const byte Version = 1;
    private const byte HasPauses = 1;
    private const byte HasVersions = 2;
    private const byte HasLook = 4;
    private const byte HasDue = 8;

    private const int MostBytes = (Longest - Sender) / 4 * 3;

    private static readonly UTF8Encoding Utf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>The payload of a notification.</summary>
    /// <param name="sender">The process that commits, which ignores it; all zero for a transaction of an application: then it is for that process, too.</param>
    /// <param name="news">What it did.</param>
    public static string Encode(Guid sender, ReplicaNews news)
    {
        Span<byte> bytes = stackalloc byte[MostBytes];
        var writer = new Writer(bytes);
        if (!TryWrite(ref writer, news))
        {
            writer = new Writer(bytes);
            _ = writer.TryByte(Version) && writer.TryByte(HasLook);
        }

        return string.Concat(sender.ToString("N"), Convert.ToBase64String(writer.Written));
    }

    /// <summary>Whether a process sent a payload.</summary>
    public static bool IsFrom(string payload, Guid sender) => payload.AsSpan(0, Math.Min(Sender, payload.Length)).SequenceEqual(sender.ToString("N"));

    /// <summary>What a payload says. One that is not understood, of a later version for example, says "look".</summary>
    public static ReplicaNews Decode(string payload)
    {
        var news = new ReplicaNews();
        Span<byte> bytes = stackalloc byte[MostBytes];
        if (payload.Length is < Sender or > Longest
            || !Convert.TryFromBase64Chars(payload.AsSpan(Sender), bytes, out var length)
            || !TryRead(new Reader(bytes[..length]), news))
        {
            news.Clear();
            news.Look = true;
        }

        return news;
    }

    private static bool TryWrite(ref Writer writer, ReplicaNews news)
    {
        var flags = (news.Pauses ? HasPauses : 0) | (news.Versions ? HasVersions : 0) | (news.Look ? HasLook : 0) | (news.Due is null ? 0 : HasDue);
        if (!writer.TryByte(Version) || !writer.TryByte((byte)flags) || (news.Due is { } due && !writer.TryLong(due.UtcTicks)) || !writer.TryCount(news.ReadyKinds.Count))
        {
            return false;
        }

        foreach (var kind in news.ReadyKinds)
        {
            if (!writer.TryText(kind))
            {
                return false;
            }
        }

        if (!writer.TryCount(news.Stops.Count))
        {
            return false;
        }

        foreach (var (replica, attempt) in news.Stops)
        {
            if (!writer.TryId(replica) || !writer.TryId(attempt.Id) || !writer.TryLong(attempt.Fence))
            {
                return false;
            }
        }

        if (!writer.TryCount(news.Watched.Count))
        {
            return false;
        }

        foreach (var (job, hasEnded) in news.Watched)
        {
            if (!writer.TryId(job) || !writer.TryByte(hasEnded ? (byte)1 : (byte)0))
            {
                return false;
            }
        }

        return true;
    }

    private static bool TryRead(Reader reader, ReplicaNews news)
    {
        if (!reader.TryByte(out var version) || version != Version || !reader.TryByte(out var flags))
        {
            return false;
        }

        (news.Pauses, news.Versions, news.Look) = ((flags & HasPauses) != 0, (flags & HasVersions) != 0, (flags & HasLook) != 0);
        if ((flags & HasDue) != 0)
        {
            if (!reader.TryLong(out var due) || due < 0 || due > DateTime.MaxValue.Ticks)
            {
                return false;
            }

            news.Due = new DateTimeOffset(due, TimeSpan.Zero);
        }

        if (!reader.TryCount(out var kinds))
        {
            return false;
        }

        for (; kinds > 0; kinds--)
        {
            if (!reader.TryText(out var kind))
            {
                return false;
            }

            news.ReadyKinds.Add(kind);
        }

        if (!reader.TryCount(out var stops))
        {
            return false;
        }

        for (; stops > 0; stops--)
        {
            if (!reader.TryId(out var replica) || !reader.TryId(out var job) || !reader.TryLong(out var fence))
            {
                return false;
            }

            news.Stops.Add((replica, new AttemptId(job, fence)));
        }

        if (!reader.TryCount(out var watched))
        {
            return false;
        }

        for (; watched > 0; watched--)
        {
            if (!reader.TryId(out var job) || !reader.TryByte(out var hasEnded))
            {
                return false;
            }

            news.Watched.Add((job, hasEnded != 0));
        }

        return reader.IsAtEnd;
    }

    /// <summary>Writes into a buffer as long as it has room.</summary>
    private ref struct Writer(Span<byte> buffer)
    {
        private readonly Span<byte> _buffer = buffer;
        private int _length;

        public readonly ReadOnlySpan<byte> Written => _buffer[.._length];

        public bool TryByte(byte value)
        {
            if (_length == _buffer.Length)
            {
                return false;
            }

            _buffer[_length++] = value;
            return true;
        }

        // No count that fits is larger.
        public bool TryCount(int count) => count <= ushort.MaxValue && TryByte((byte)(count >> 8)) && TryByte((byte)count);

        public bool TryLong(long value)
        {
            if (!BinaryPrimitives.TryWriteInt64LittleEndian(_buffer[_length..], value))
            {
                return false;
            }

            _length += sizeof(long);
            return true;
        }

        public bool TryId(Guid id)
        {
            if (!id.TryWriteBytes(_buffer[_length..]))
            {
                return false;
            }

            _length += 16;
            return true;
        }

        public bool TryText(string text)
        {
            // What UTF-8 cannot hold has to be looked up.
            if (text.Length > MostBytes || text.AsSpan().IndexOfAnyInRange('\uD800', '\uDFFF') >= 0 || !TryCount(Utf8.GetByteCount(text)) || !Utf8.TryGetBytes(text, _buffer[_length..], out var written))
            {
                return false;
            }

            _length += written;
            return true;
        }
    }

    /// <summary>Reads from what was received, which may be anything.</summary>
    private ref struct Reader(ReadOnlySpan<byte> rest)
    {
        private ReadOnlySpan<byte> _rest = rest;

        public readonly bool IsAtEnd => _rest.IsEmpty;

        public bool TryByte(out byte value)
        {
            if (_rest.IsEmpty)
            {
                value = 0;
                return false;
            }

            value = _rest[0];
            _rest = _rest[1..];
            return true;
        }

        public bool TryCount(out int count)
        {
            count = 0;
            if (!TryByte(out var high) || !TryByte(out var low))
            {
                return false;
            }

            count = (high << 8) | low;
            return true;
        }

        public bool TryLong(out long value)
        {
            if (!BinaryPrimitives.TryReadInt64LittleEndian(_rest, out value))
            {
                return false;
            }

            _rest = _rest[sizeof(long)..];
            return true;
        }

        public bool TryId(out Guid id)
        {
            id = default;
            if (_rest.Length < 16)
            {
                return false;
            }

            id = new Guid(_rest[..16]);
            _rest = _rest[16..];
            return true;
        }

        public bool TryText(out string text)
        {
            text = "";
            if (!TryCount(out var length) || _rest.Length < length || !System.Text.Unicode.Utf8.IsValid(_rest[..length]))
            {
                return false;
            }

            text = Utf8.GetString(_rest[..length]);
            _rest = _rest[length..];
            return true;
        }
    }
}
