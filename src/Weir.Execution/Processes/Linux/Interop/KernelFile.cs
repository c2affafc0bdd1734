using System.Buffers;
using System.Text;

namespace Weir.Execution.Processes.Linux.Interop;

/// <summary>The small files through which the kernel is asked and told: each write is one order, taken as a whole.</summary>
internal static class KernelFile
{
    // Most of them have less: one read for the text and one that finds its end.
    private const int FirstSize = 4096;

    /// <summary>The text without the line's end; <c>null</c> when there is no such file, or it does not answer.</summary>
    public static string? Read(string path)
    {
        // A dozen of them for every worker that starts: through a stream and a reader each would cost more than what it says.
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

            return Encoding.UTF8.GetString(buffer.AsSpan(0, length).TrimEnd(" \t\r\n"u8));
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

    /// <returns>What the kernel has against it; <c>null</c> when it was done.</returns>
    public static string? Write(string path, string text)
    {
        try
        {
            // Neither truncated nor locked: these are no files.
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
