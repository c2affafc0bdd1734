using System.Text;

namespace Weir.Execution.Processes.Linux;

/// <summary>The small files through which the kernel is asked and told: each write is one order, taken as a whole.</summary>
internal static class KernelFile
{
    /// <summary>The text without the line's end; <c>null</c> when there is no such file, or it does not answer.</summary>
    public static string? Read(string path)
    {
        try
        {
            return File.ReadAllText(path).TrimEnd();
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return null;
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
}
