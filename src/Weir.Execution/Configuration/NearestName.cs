namespace Weir.Execution.Configuration;

/// <summary>Finds the name that was probably meant: one that contains the text, or else the one that needs the fewest insertions, removals and replacements of letters.</summary>
internal static class NearestName
{
    /// <param name="written">The text that was written.</param>
    /// <param name="names">The known names, at least one; among equally near names the first is returned.</param>
    public static string To(string written, IEnumerable<string> names) => names.MinBy(name => (
        name.Contains(written, StringComparison.OrdinalIgnoreCase) ? 0 : 1,
        Distance(written.ToUpperInvariant(), name.ToUpperInvariant())))!;

    // One row of the usual table: row[j] is the distance of the letters so far to the first j of the name.
    private static int Distance(string from, string to)
    {
        var row = new int[to.Length + 1];
        for (var j = 0; j < row.Length; j++)
        {
            row[j] = j;
        }

        for (var i = 1; i <= from.Length; i++)
        {
            var diagonal = row[0];
            row[0] = i;
            for (var j = 1; j <= to.Length; j++)
            {
                var replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.Min(replaced, Math.Min(row[j], row[j - 1]) + 1);
            }
        }

        return row[to.Length];
    }
}
