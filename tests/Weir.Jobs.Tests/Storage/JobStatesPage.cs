namespace Weir.Jobs.Tests.Storage;

/// <summary>The table of events and states in <c>docs/job-states.md</c>.</summary>
internal static class JobStatesPage
{
    /// <summary>Its rows, the head first; each with its cells.</summary>
    public static string[][] Table { get; } = Read();

    /// <summary>What a cell says.</summary>
    public static string Cell(string row, string column)
    {
        var cells = Table.Single(cells => cells[0] == row);
        return cells[Array.IndexOf(Table[0], column)];
    }

    private static string[][] Read() =>
    [
        .. File.ReadAllLines(Path.Combine(Root(), "docs", "job-states.md"))
            .SkipWhile(static line => !line.StartsWith("| Event", StringComparison.Ordinal))
            .TakeWhile(static line => line.StartsWith('|'))
            .Where(static line => !line.StartsWith("|---", StringComparison.Ordinal))
            .Select(static line => line.Trim('|', ' ').Split('|', StringSplitOptions.TrimEntries)),
    ];

    private static string Root()
    {
        var folder = AppContext.BaseDirectory;
        while (!File.Exists(Path.Combine(folder, "Weir.slnx")))
        {
            folder = Path.GetDirectoryName(folder) ?? throw new InvalidOperationException($"No Weir.slnx above {AppContext.BaseDirectory}.");
        }

        return folder;
    }
}
