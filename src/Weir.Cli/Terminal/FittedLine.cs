namespace Weir.Cli.Terminal;

/// <summary>A line of fields that is never longer than a terminal is wide: the least important fields are left out.</summary>
internal sealed class FittedLine
{
    private const string Gap = "  ";

    private readonly List<(int Rank, string Text)> _fields = [];

    /// <summary>Appends a field.</summary>
    /// <param name="rank">1 for the most important one; each occurs once.</param>
    /// <param name="text">The field.</param>
    public FittedLine Add(int rank, string text)
    {
        _fields.Add((rank, text));
        return this;
    }

    /// <summary>As many fields as fit, in the order in which they were added; the most important one is cut if it does not fit alone.</summary>
    /// <param name="width">Columns.</param>
    public string Fit(int width)
    {
        for (var last = _fields.Max(static field => field.Rank); ; last--)
        {
            var line = string.Join(Gap, _fields.Where(field => field.Rank <= last).Select(static field => field.Text));
            if (line.Length <= width || last == 1)
            {
                return line[..Math.Clamp(width, 0, line.Length)];
            }
        }
    }
}
