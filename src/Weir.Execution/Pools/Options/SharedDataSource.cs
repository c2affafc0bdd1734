namespace Weir.Execution.Pools.Options;

/// <summary>Where the bytes of one name come from. Two are equal when they are the same file, or the same delegate.</summary>
/// <param name="Path">The full path of a file; <c>null</c> for a stream.</param>
/// <param name="Open">Opens a stream, which is read to its end and disposed; <c>null</c> for a file.</param>
internal sealed record SharedDataSource(string? Path, Func<CancellationToken, ValueTask<Stream>>? Open)
{
    /// <summary>Its length where that is known without reading it.</summary>
    public long? KnownLength()
    {
        try
        {
            return Path is null ? null : LengthOf(Path);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>The length of a file, also behind a symbolic link, whose own length FileInfo gives.</summary>
    /// <exception cref="IOException">It cannot be opened.</exception>
    public static long LengthOf(string path)
    {
        using var file = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        return RandomAccess.GetLength(file);
    }

    /// <summary>Why a file cannot be read; <c>null</c> when it can be, or is a stream.</summary>
    public string? Refusal()
    {
        try
        {
            if (Path is not null)
            {
                File.OpenHandle(Path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete).Dispose();
            }

            return null;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return failure.Message;
        }
    }

    /// <exception cref="IOException">The file cannot be opened. A delegate throws what it likes.</exception>
    public async ValueTask<Stream> OpenAsync(CancellationToken cancellationToken) => Path is not null
        ? new FileStream(Path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0)
        : await Open!(cancellationToken).ConfigureAwait(false) ?? throw new InvalidOperationException("the delegate returned null");

    public override string ToString() => Path is null ? "a stream" : $"'{Path}'";
}
