using Spectre.Console;

namespace Weir.Lab.Reporting;

/// <summary>The console; into a file or a pipe goes plain text, as wide as the tables need.</summary>
internal static class LabConsole
{
    private const int PlainWidth = 200;

    public static IAnsiConsole Create()
    {
        if (!Console.IsOutputRedirected)
            return AnsiConsole.Console;

        var console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Ansi = AnsiSupport.No,
            ColorSystem = ColorSystemSupport.NoColors,
            Interactive = InteractionSupport.No,
        });
        console.Profile.Width = PlainWidth;
        return console;
    }
}
