using System.Globalization;

namespace Weir.Cli.Fetch;

/// <summary>Names of the files for bodies: the number of the URL, its host and the end of its path. Letters, digits, '.', '-' and '_' only.</summary>
internal static class FileNames
{
    private const int MostHost = 60;
    private const int MostPath = 100;

    /// <summary>A name that no other URL of the list has, without a folder, on every file system.</summary>
    public static string Of(long index, Uri address)
    {
        var host = Safe(HostOf(address));
        var path = Safe(address.PathAndQuery);
        var number = index.ToString("D6", CultureInfo.InvariantCulture);
        return $"{number}-{host[..Math.Min(host.Length, MostHost)]}-{path[Math.Max(0, path.Length - MostPath)..]}".TrimEnd('-', '.');
    }

    private static string HostOf(Uri address)
    {
        try
        {
            return address.IdnHost;
        }
        catch (UriFormatException)
        {
            // A name that no server has.
            return address.Host;
        }
    }

    private static string Safe(string text) =>
        string.Create(text.Length, text, static (name, text) =>
        {
            for (var i = 0; i < text.Length; i++)
            {
                name[i] = char.IsAsciiLetterOrDigit(text[i]) || text[i] is '.' or '-' ? text[i] : '_';
            }
        }).Trim('_', '.');
}
