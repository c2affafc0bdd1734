using Microsoft.Win32.SafeHandles;

namespace Weir.Execution.Processes;

/// <summary>Bytes that any number of workers map: sealed memory, whose descriptor they inherit, or a file that they open. Disposed when nothing uses it.</summary>
internal sealed class SharedDataFile : IDisposable
{
    private readonly bool _isTemporary;

    private SharedDataFile(long length, SafeFileHandle? memory, string path, bool isTemporary) =>
        (Length, Memory, Path, _isTemporary) = (length, memory, path, isTemporary);

    /// <summary>How many bytes there are.</summary>
    public long Length { get; }

    /// <summary>Open for reading only; <c>null</c> for a file.</summary>
    public SafeFileHandle? Memory { get; }

    /// <summary>The path of a file; empty for sealed memory.</summary>
    public string Path { get; }

    /// <summary>Where this process itself can open the bytes.</summary>
    public string OwnPath => Memory is null ? Path : $"/proc/self/fd/{Memory.DangerousGetHandle()}";

    /// <param name="descriptor">Open for reading only; owned from now on.</param>
    /// <param name="length">How many bytes it has.</param>
    public static SharedDataFile OfMemory(SafeFileHandle descriptor, long length) => new(length, descriptor, "", isTemporary: false);

    /// <param name="path">The file.</param>
    /// <param name="length">How many bytes it has.</param>
    /// <param name="isTemporary">Whether it is deleted when nothing uses it.</param>
    public static SharedDataFile OfFile(string path, long length, bool isTemporary) => new(length, null, path, isTemporary);

    public void Dispose()
    {
        Memory?.Dispose();
        if (!_isTemporary)
        {
            return;
        }

        try
        {
            File.Delete(Path);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            // A worker that is just ending may still map it (Windows); it lies in the folder for temporary files.
        }
    }
}
