using System.Text;

namespace Weir.Dashboard.Page;

/// <summary>A module of the page as a browser gets it: without the comments that have lines of their own. The lines stay, so that an error names one of the source.</summary>
internal static class ModuleText
{
    /// <summary>Leaves the comments out. No module has such a line in a text of several lines.</summary>
    /// <param name="source">The module.</param>
    public static string WithoutComments(string source)
    {
        var text = new StringBuilder(source.Length);
        var isInComment = false;
        foreach (var line in source.AsSpan().EnumerateLines())
        {
            var trimmed = line.Trim();
            var begins = !isInComment && trimmed.StartsWith("/*");
            if (!isInComment && !trimmed.StartsWith("//") && !(begins && trimmed.IndexOf("*/") is var end && (end < 0 || end == trimmed.Length - 2)))
            {
                text.Append(line);
            }

            isInComment = (isInComment || begins) && !trimmed.Contains("*/", StringComparison.Ordinal);
            text.Append('\n');
        }

        // Behind the last line there is no line feed.
        return text.ToString(0, text.Length - 1);
    }
}
