using System.Globalization;

namespace Weir.Execution.Pools.Hangs;

/// <summary>The folder of dumps, which other pools and hosts may use too: a file that another has deleted first is no failure.</summary>
internal sealed class DumpFolder(DumpOptions options)
{
    private const string Pattern = "weir-*.dmp";

    /// <summary>The path of the next dump, after there is a place for it. It is not created.</summary>
    /// <param name="report">The id of the crash report.</param>
    /// <param name="now">Makes the name one of its own.</param>
    public string Next(string report, DateTimeOffset now)
    {
        Delete(ToDelete(List(), options.MaxCount - 1, options.MaxBytes));
        return Path.Combine(options.Folder, string.Create(CultureInfo.InvariantCulture, $"weir-{report}-{now.UtcDateTime:yyyyMMdd'T'HHmmssfff}.dmp"));
    }

    /// <summary>A dump was written.</summary>
    /// <returns>Whether it was kept.</returns>
    public bool Keep(string path)
    {
        Delete(ToDelete(List(), options.MaxCount, options.MaxBytes));
        return File.Exists(path);
    }

    /// <summary>Deletes a dump that is not complete.</summary>
    public static void Discard(string path) => Delete([path]);

    /// <summary>The oldest, until both bounds hold.</summary>
    internal static List<string> ToDelete(IEnumerable<(string Path, long Bytes, DateTime At)> files, int mostFiles, long mostBytes)
    {
        var deleted = new List<string>();
        var (count, bytes) = (0, 0L);
        var isFull = false;
        foreach (var file in files.OrderByDescending(static file => file.At).ThenByDescending(static file => file.Path, StringComparer.Ordinal))
        {
            isFull |= ++count > mostFiles || (bytes += file.Bytes) > mostBytes;
            if (isFull)
            {
                deleted.Add(file.Path);
            }
        }

        return deleted;
    }

    private List<(string Path, long Bytes, DateTime At)> List()
    {
        var files = new List<(string, long, DateTime)>();
        foreach (var file in new DirectoryInfo(options.Folder).EnumerateFiles(Pattern))
        {
            if (file.Exists)
            {
                files.Add((file.FullName, file.Length, file.LastWriteTimeUtc));
            }
        }

        return files;
    }

    private static void Delete(List<string> paths)
    {
        foreach (var path in paths)
        {
            try
            {
                File.Delete(path);
            }
            catch (Exception refused) when (refused is IOException or UnauthorizedAccessException)
            {
                // Another user's: it is not deleted, and counts.
            }
        }
    }
}
