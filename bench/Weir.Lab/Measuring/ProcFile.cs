using System.Globalization;

namespace Weir.Lab.Measuring;

/// <summary>Reads fields of the files under <c>/proc</c>; what is gone or not there reads as zero.</summary>
internal static class ProcFile
{
    /// <summary>The number after <c>Name:</c> in a file of such lines, as <c>/proc/pid/status</c> is.</summary>
    public static long Field(string path, string name) => FieldOf(Text(path), name);

    /// <summary>The number after <c>Name:</c> in a text of such lines.</summary>
    public static long FieldOf(string text, string name)
    {
        foreach (var line in text.AsSpan().EnumerateLines())
        {
            if (line.StartsWith(name, StringComparison.Ordinal) && line.Length > name.Length && line[name.Length] == ':')
                return FirstNumber(line[(name.Length + 1)..]);
        }

        return 0;
    }

    /// <summary>The whole file, or nothing when the process has ended.</summary>
    public static string Text(string path)
    {
        try
        {
            return File.ReadAllText(path);
        }
        catch (IOException)
        {
            return "";
        }
        catch (UnauthorizedAccessException)
        {
            return "";
        }
    }

    private static long FirstNumber(ReadOnlySpan<char> text)
    {
        text = text.Trim();
        var length = text.IndexOfAnyExceptInRange('0', '9');
        return long.TryParse(length < 0 ? text : text[..length], NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number : 0;
    }
}
