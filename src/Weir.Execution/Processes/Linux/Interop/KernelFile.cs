using System.Buffers;
using System.Text;

namespace Weir.Execution.Processes.Linux.Interop;

/// <summary>The small files through which the kernel reports values and receives commands: each write is one command, processed as a whole.</summary>
internal static class KernelFile
{
    // Most of them are smaller: one read for the text and one that finds its end.
    private const int FirstSize = 4096;

    /// <summary>The text without the line end; <c>null</c> when there is no such file, or it cannot be read.</summary>
    public static string? Read(string path)
    {
        // A dozen of them are read for every worker that starts, so they are read without a stream and a reader, which would cost too much.
        var buffer = ArrayPool<byte>.Shared.Rent(FirstSize);
        try
        {
            using var file = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            var length = 0;
            while (RandomAccess.Read(file, buffer.AsSpan(length), length) is > 0 and var read)
            {
                length += read;
                if (length == buffer.Length)
                {
                    buffer = Grow(buffer);
                }
            }

            while (length > 0 && buffer[length - 1] is (byte)' ' or (byte)'\t' or (byte)'\r' or (byte)'\n')
            {
                length--;
            }

            return Encoding.UTF8.GetString(buffer, 0, length);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return null;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    /// <returns>Why the kernel refused; <c>null</c> on success.</returns>
    public static string? Write(string path, string text)
    {
        try
        {
            // Neither truncated nor locked: these are not real files.
            using var file = File.OpenHandle(path, FileMode.OpenOrCreate, FileAccess.Write, FileShare.ReadWrite);
            RandomAccess.Write(file, Encoding.ASCII.GetBytes(text), 0);
            return null;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return failure.Message;
        }
    }

    private static byte[] Grow(byte[] full)
    {
        var larger = ArrayPool<byte>.Shared.Rent(2 * full.Length);
        full.CopyTo(larger, 0);
        ArrayPool<byte>.Shared.Return(full);
        return larger;
    }
}
