using System.Globalization;
using System.Security.Cryptography;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.Work;

/// <summary>What operations do with content; the same in the host and in a worker.</summary>
internal static class ContentWork
{
    /// <summary>How long an operation reads nothing: longer than it is watched.</summary>
    public static readonly TimeSpan Held = TimeSpan.FromSeconds(10);

    /// <summary>Content of a source that fails.</summary>
    public const string Failing = "failing";

    /// <summary>The same of a length that is said before.</summary>
    public const string SizedFailing = "failing, sized";

    /// <summary>Content that ends before the length that is said before.</summary>
    public const string Short = "short";

    /// <summary>Content that is whole, unless it is cut from outside.</summary>
    public const string Unsized = "unsized";

    /// <summary>The same of a length that is said before.</summary>
    public const string Sized = "sized";

    private const int PieceBytes = 64 * 1024;

    /// <summary>Length and hash of content.</summary>
    public static async Task<string> HashAsync(Stream content, CancellationToken cancellation)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        var buffer = new byte[PieceBytes];
        var length = 0L;
        for (int read; (read = await content.ReadAsync(buffer, cancellation)) > 0; length += read)
            hash.AppendData(buffer.AsSpan(0, read));
        return string.Create(CultureInfo.InvariantCulture, $"{length} {Convert.ToHexString(hash.GetHashAndReset())}");
    }

    /// <summary>Reads content to its end and writes down that it was there.</summary>
    public static async Task<long> TakeAsync(Stream content, string folder, long upload, int index, CancellationToken cancellation)
    {
        var buffer = new byte[PieceBytes];
        var (length, isRight) = (0L, true);
        for (int read; (read = await content.ReadAsync(buffer, cancellation)) > 0; length += read)
            isRight = isRight && GeneratedContent.Matches(length, buffer.AsSpan(0, read));
        Witness.Append(folder, UploadMarks.EndOf(upload, index, isRight ? length : -1));
        return length;
    }

    /// <summary>Content that comes to nothing good after some bytes, or is whole.</summary>
    public static GeneratedContent Make(long length, long until, string how) => new(length)
    {
        Until = until,
        Fails = how is Failing or SizedFailing,
        IsSized = how is SizedFailing or Short or Sized,
    };

    /// <summary>Content without an end, and how much of it was made, in a file.</summary>
    public static GeneratedContent MakeEndless(string path) =>
        new(long.MaxValue) { Count = File.OpenHandle(path, FileMode.Create, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete) };

    /// <summary>Copies a file.</summary>
    public static async Task ConvertAsync(string from, string to, CancellationToken cancellation)
    {
        await using var input = OpenRead(from);
        await using var output = Create(to);
        await input.CopyToAsync(output, PieceBytes, cancellation);
    }

    /// <summary>Writes content into a new file.</summary>
    public static async Task SaveAsync(Stream content, string path, CancellationToken cancellation)
    {
        await using var file = Create(path);
        await content.CopyToAsync(file, PieceBytes, cancellation);
    }

    /// <summary>A file for reading from its start to its end.</summary>
    public static FileStream OpenRead(string path, FileOptions options = FileOptions.None) =>
        new(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0, FileOptions.Asynchronous | FileOptions.SequentialScan | options);

    private static FileStream Create(string path) => new(path, FileMode.CreateNew, FileAccess.Write, FileShare.None, bufferSize: 0, FileOptions.Asynchronous);
}
