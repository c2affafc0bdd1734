using Microsoft.Win32.SafeHandles;
using Weir.Execution.Pools.Options;
using Weir.Execution.Processes;
using Weir.Execution.Processes.Linux.Launch;

namespace Weir.Execution.Pools.Shared;

/// <summary>Reads a source once, into sealed memory or, for workers that inherit no descriptor, into a file.</summary>
internal static class SharedDataLoader
{
    private const int PieceSize = 1 << 20;

    /// <param name="name">For messages.</param>
    /// <param name="source">Is read to its end.</param>
    /// <param name="isPortable">Whether workers open a file: that of the source, or a temporary one for a stream.</param>
    /// <param name="freeMemory">Reads how many bytes are left; <c>null</c> where that is not known.</param>
    /// <param name="cancellationToken">Ends the reading.</param>
    /// <exception cref="LaunchException">The source cannot be read, or there is no room for it.</exception>
    public static async Task<SharedDataFile> LoadAsync(string name, SharedDataSource source, bool isPortable, Func<long?> freeMemory, CancellationToken cancellationToken)
    {
        try
        {
            using var memory = isPortable || !OperatingSystem.IsLinux() ? null : SealedMemory.TryCreate(name);
            if (memory is not null)
            {
                var length = await CopyAsync(source, memory, length => RequireMemory(name, source, length, freeMemory()), cancellationToken).ConfigureAwait(false);
                return SharedDataFile.OfMemory(SealedMemory.Seal(memory), length);
            }

            return source.Path is { } path ? SharedDataFile.OfFile(path, SharedDataSource.LengthOf(path), isTemporary: false)
                : await SpoolAsync(source, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception failure) when (failure is not LaunchException && !cancellationToken.IsCancellationRequested)
        {
            // Whatever the delegate of a stream throws.
            var step = source.Path is null ? "let the delegate return a stream that can be read to its end" : "let the file exist and be readable for the host";
            throw new LaunchException(WeirCodes.WorkerStartRefused, $"The shared data '{name}' could not be read from {source}: {failure.GetType()}: {failure.Message} Free the memory that it needs, and {step}.");
        }
    }

    private static async Task<SharedDataFile> SpoolAsync(SharedDataSource source, CancellationToken cancellationToken)
    {
        var path = Path.Combine(Path.GetTempPath(), $"weir-data-{Guid.NewGuid():N}");
        try
        {
            var access = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write, Share = FileShare.Read, BufferSize = 0 };
            if (!OperatingSystem.IsWindows())
            {
                access.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
            }

            await using var file = new FileStream(path, access);
            return SharedDataFile.OfFile(path, await CopyAsync(source, file.SafeFileHandle, static _ => { }, cancellationToken).ConfigureAwait(false), isTemporary: true);
        }
        catch
        {
            File.Delete(path);
            throw;
        }
    }

    // Before the first byte: a copy that does not fit makes the whole machine slow, or is ended by the kernel together with the host.
    private static void RequireMemory(string name, SharedDataSource source, long length, long? free)
    {
        if (length > free)
        {
            throw new LaunchException(
                WeirCodes.WorkerStartRefused,
                $"The shared data '{name}' is {Megabytes(length)} MB ({source}), and {free >> 20} MB of memory are free (MemAvailable, memory.max); a reload needs them beside the earlier bytes. "
                + "Free memory, raise the limit of the control group, or share less.");
        }
    }

    private static long Megabytes(long bytes) => (bytes + (1 << 20) - 1) >> 20;

    private static async Task<long> CopyAsync(SharedDataSource source, SafeFileHandle target, Action<long> require, CancellationToken cancellationToken)
    {
        await using var stream = await source.OpenAsync(cancellationToken).ConfigureAwait(false);
        if (stream.CanSeek)
        {
            require(stream.Length - stream.Position);
        }

        var piece = GC.AllocateUninitializedArray<byte>(PieceSize);
        var length = 0L;
        while (await stream.ReadAsync(piece, cancellationToken).ConfigureAwait(false) is > 0 and var read)
        {
            RandomAccess.Write(target, piece.AsSpan(0, read), length);
            length += read;
        }

        return length;
    }
}
