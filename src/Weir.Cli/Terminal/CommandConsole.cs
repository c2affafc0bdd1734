using System.Text;
using Microsoft.Win32.SafeHandles;
using Spectre.Console;

namespace Weir.Cli.Terminal;

/// <summary>What a command reads and writes: the process's own streams, or those of a test.</summary>
internal sealed class CommandConsole
{
    /// <summary>Standard input.</summary>
    public required Stream Input { get; init; }

    /// <summary>Standard output.</summary>
    public required Stream Output { get; init; }

    /// <summary>Text to <see cref="Output"/>, written at once.</summary>
    public required TextWriter Out { get; init; }

    /// <summary>Text to standard error, written at once.</summary>
    public required TextWriter Error { get; init; }

    /// <summary>A person reads standard output.</summary>
    public bool IsOutputTerminal { get; init; }

    /// <summary>A person reads standard error: progress is shown there.</summary>
    public bool IsErrorTerminal { get; init; }

    /// <summary>The clock.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>Where files with relative names are.</summary>
    public string Folder { get; init; } = Environment.CurrentDirectory;

    /// <summary>The streams of this process.</summary>
    public static CommandConsole OfThisProcess()
    {
        var output = OpenOutput();
        return new CommandConsole
        {
            Input = Console.OpenStandardInput(),
            Output = output,
            Out = new StreamWriter(output, new UTF8Encoding(false), leaveOpen: true) { AutoFlush = true },
            Error = Console.Error,
            IsOutputTerminal = !Console.IsOutputRedirected,
            IsErrorTerminal = !Console.IsErrorRedirected,
        };
    }

    /// <summary>Tables and progress on standard error; plain text where that is not a terminal.</summary>
    public IAnsiConsole ErrorDisplay() => Display(Error, IsErrorTerminal);

    /// <summary>Tables on standard output; plain text where that is not a terminal.</summary>
    public IAnsiConsole OutputDisplay() => Display(Out, IsOutputTerminal);

    /// <summary>A name that the user gave, as a path.</summary>
    public string PathOf(string name) => Path.GetFullPath(name, Folder);

    private static IAnsiConsole Display(TextWriter writer, bool isTerminal)
    {
        var display = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Out = new AnsiConsoleOutput(writer),
            Ansi = isTerminal ? AnsiSupport.Detect : AnsiSupport.No,
            ColorSystem = isTerminal ? ColorSystemSupport.Detect : ColorSystemSupport.NoColors,
            Interactive = isTerminal ? InteractionSupport.Detect : InteractionSupport.No,
        });
        if (!isTerminal)
        {
            // Lines are not wrapped in a file.
            display.Profile.Width = 1000;
        }

        return display;
    }

    // .NET's own stream says nothing when the reader of a pipe has gone: 'weir fetch … | head' would continue without end.
    private static Stream OpenOutput()
    {
        if (!OperatingSystem.IsWindows() && Console.IsOutputRedirected)
        {
            var pipe = new FileStream(new SafeFileHandle(1, ownsHandle: false), FileAccess.Write, bufferSize: 0);
            if (!pipe.CanSeek)
            {
                return pipe;
            }
        }

        return Console.OpenStandardOutput();
    }
}
