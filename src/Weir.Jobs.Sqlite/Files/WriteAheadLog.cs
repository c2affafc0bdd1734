using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace Weir.Jobs.Sqlite.Files;

/// <summary>
/// The log beside the file. SQLite takes the first frame that is not whole for the end of it, because a power cut leaves such a one, and forgets what comes after it. But a power cut reaches only
/// the last transaction: the one before was on the disk when that began. So a later transaction behind it shows that it is damage.
/// </summary>
internal static class WriteAheadLog
{
    private const int HeaderSize = 32;
    private const int FrameHeaderSize = 24;
    private const int PageSize = 4096;
    private const int FrameSize = FrameHeaderSize + PageSize;
    private const int SectorSize = 512;
    private const uint BigEndian = 0x377F0683;

    /// <summary>
    /// Looks for damage, and syncs the log: what the process before wrote and did not sync would be read, and followed by other transactions, and could still be lost. Before SQLite opens it.
    /// </summary>
    /// <param name="path">Of the file of jobs.</param>
    /// <exception cref="InvalidOperationException">It is damaged, or the file of jobs is missing (WEIR3027).</exception>
    public static void Check(string path)
    {
        var log = path + "-wal";
        if (new FileInfo(log) is not { Exists: true, Length: > HeaderSize })
        {
            return;
        }

        using var file = new FileStream(log, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
        file.Flush(flushToDisk: true);
        var (transactions, damage) = Read(file);
        var name = Path.GetFileName(path);
        if (damage is { } frame)
        {
            throw new InvalidOperationException(
                $"{WeirCodes.JobStoreUnusable}: '{log}' is damaged: {(frame == 0 ? "its header" : $"frame {frame}")} is not what was written, and jobs were committed after it. Put back a copy of '{name}' without its log, or run "
                + $"'sqlite3 {name} \"PRAGMA wal_checkpoint(TRUNCATE)\"' to go on with what was committed before.");
        }

        // SQLite would delete the log. It is not written before the file has its first page.
        if (transactions > 0 && new FileInfo(path) is not { Exists: true, Length: > 0 })
        {
            throw new InvalidOperationException(
                $"{WeirCodes.JobStoreUnusable}: '{path}' is missing or empty, and '{name}-wal' beside it has jobs that were not copied into it. Put back the file, or delete "
                + "the log, too, to begin without jobs.");
        }
    }

    // How many transactions SQLite will find, and the first frame that is damaged, from 1 on; 0 for the header.
    private static (int Transactions, long? Damage) Read(Stream file)
    {
        Span<byte> header = stackalloc byte[HeaderSize];
        file.ReadExactly(header);
        var isBigEndian = BinaryPrimitives.ReadUInt32BigEndian(header) == BigEndian;
        var sum = Sum(default, header[..24], isBigEndian);
        var before = Stored(header[24..]);
        var isWhole = sum == before;
        if (isWhole && BinaryPrimitives.ReadUInt32BigEndian(header[8..]) != PageSize)
        {
            return (0, null);
        }

        // Until the first frame that is not whole, the sum; from there on, what each frame says of itself is where the next one continues.
        var (transactions, end, isCommit) = (0, isWhole ? default(long?) : 0, false);
        var (salt, frame) = (header[16..24].ToArray(), new byte[FrameSize]);
        for (var number = 1L; file.ReadAtLeast(frame, FrameSize, throwOnEndOfStream: false) == FrameSize; number++)
        {
            var stored = Stored(frame.AsSpan(16));
            var next = Sum(frame, sum, isBigEndian);
            var isNext = next == stored || (before != sum && Sum(frame, before, isBigEndian) == stored);
            if (number == 1 && !isWhole && isNext)
            {
                salt = frame[8..16];
            }

            // Behind the end there may be frames of an earlier log, which has another salt.
            var hasSalt = frame.AsSpan(8, 8).SequenceEqual(salt);
            if (isNext && hasSalt && isCommit && end is { } damaged)
            {
                return (transactions, damaged);
            }

            // The mark of a commit lies in one sector with the rest of the header, or it may be another frame's.
            var offset = (HeaderSize + ((number - 1) * FrameSize)) % SectorSize;
            isCommit = BinaryPrimitives.ReadUInt32BigEndian(frame.AsSpan(4)) != 0 && (hasSalt ? isNext || offset <= SectorSize - FrameHeaderSize : isNext && end is null);
            if (end is null && isNext && hasSalt)
            {
                (transactions, sum, before) = (transactions + (isCommit ? 1 : 0), stored, stored);
                continue;
            }

            // Of the first one it is known what its sum has to be, if that is what is damaged.
            (sum, before) = (end is null ? next : stored, stored);
            end ??= number;
        }

        return (transactions, null);
    }

    private static (uint, uint) Stored(ReadOnlySpan<byte> sum) => (BinaryPrimitives.ReadUInt32BigEndian(sum), BinaryPrimitives.ReadUInt32BigEndian(sum[4..]));

    private static (uint, uint) Sum(ReadOnlySpan<byte> frame, (uint, uint) before, bool isBigEndian) => Sum(Sum(before, frame[..8], isBigEndian), frame[FrameHeaderSize..], isBigEndian);

    private static (uint, uint) Sum((uint, uint) before, ReadOnlySpan<byte> bytes, bool isBigEndian)
    {
        var (first, second) = before;
        var words = MemoryMarshal.Cast<byte, uint>(bytes);
        var isReversed = isBigEndian == BitConverter.IsLittleEndian;
        for (var index = 0; index < words.Length; index += 2)
        {
            first += (isReversed ? BinaryPrimitives.ReverseEndianness(words[index]) : words[index]) + second;
            second += (isReversed ? BinaryPrimitives.ReverseEndianness(words[index + 1]) : words[index + 1]) + first;
        }

        return (first, second);
    }
}
