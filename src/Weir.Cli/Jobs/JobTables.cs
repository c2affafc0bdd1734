using Spectre.Console;
using Weir.Cli.Terminal;

namespace Weir.Cli.Jobs;

/// <summary>Tables of what a server sent: a row is a line where no terminal is too narrow for it.</summary>
internal static class JobTables
{
    private const int MostText = 200;

    private static readonly Padding Gap = new(0, 0, 2, 0);

    /// <summary>A table with these columns.</summary>
    public static Table Create(params string[] columns)
    {
        var table = new Table { Border = TableBorder.None };
        foreach (var column in columns)
        {
            table.AddColumn(new TableColumn(new Text(column)) { NoWrap = column == "id", Padding = Gap });
        }

        return table;
    }

    /// <summary>Cells of any text.</summary>
    public static IEnumerable<Text> Row(IEnumerable<string?> cells) => cells.Select(static cell => new Text(SafeText.Of(SafeText.Cut(cell ?? "", MostText), keepsLines: false)));
}
