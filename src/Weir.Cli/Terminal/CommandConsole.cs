using System.Text;
using Microsoft.Win32.SafeHandles;
using Spectre.Console;

namespace Weir.Cli.Terminal;

/// <summary>What a command reads and writes: the process's own streams, or those of a test.</summary>
internal sealed class CommandConsole
{
    private readonly TextWriter _out = TextWriter.Null;
    private readonly TextWriter _error = TextWriter.Null;

    /// <summary>Standard input.</summary>
    public required Stream Input { get; init; }

    /// <summary>Standard output: bytes as they are, but on a terminal only what cannot command it.</summary>
    public required Stream Output
    {
        get => IsOutputTerminal ? new SafeStream(Out) : field;
        init;
    }

    /// <summary>Text to <see cref="Output"/>, written at once; on a terminal only what cannot command it.</summary>
    public required TextWriter Out
    {
        get => IsOutputTerminal ? new SafeWriter(_out, keepsLines: true) : _out;
        init => _out = value;
    }

    /// <summary>Text to standard error, written at once: what a server sent cannot command a terminal, nor begin a line of its own.</summary>
    public required TextWriter Error
    {
        get => field;
        init => (_error, field) = (value, new SafeWriter(value, keepsLines: false));
    }

    /// <summary>A person reads standard output.</summary>
    public bool IsOutputTerminal { get; init; }

    /// <summary>A person reads standard error: progress is shown there.</summary>
    public bool IsErrorTerminal { get; init; }

    /// <summary>The next key that a person has pressed, which is not shown; <c>null</c> where none was, or there is no keyboard. Does not wait.</summary>
    public Func<char?> ReadKey { get; init; } = static () => null;

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
            Input = IsClosed(0) ? new ClosedStream("standard input") : Console.OpenStandardInput(),
            Output = output,
            Out = new StreamWriter(output, new UTF8Encoding(false), leaveOpen: true) { AutoFlush = true },
            Error = IsClosed(2) ? TextWriter.Null : Console.Error,
            IsOutputTerminal = !Console.IsOutputRedirected,
            IsErrorTerminal = !Console.IsErrorRedirected,
            ReadKey = Console.IsInputRedirected ? static () => null : static () => Console.KeyAvailable ? Console.ReadKey(intercept: true).KeyChar : null,
        };
    }

    /// <summary>Tables and progress on standard error; plain text where that is not a terminal.</summary>
    public IAnsiConsole ErrorDisplay() => Display(_error, IsErrorTerminal);

    /// <summary>Tables on standard output; plain text where that is not a terminal.</summary>
    public IAnsiConsole OutputDisplay() => Display(_out, IsOutputTerminal);

    /// <summary>A name that the user gave, as a path.</summary>
    /// <exception cref="InputException">No file can have it.</exception>
    public string PathOf(string name)
    {
        try
        {
            return name.Length > 0 ? Path.GetFullPath(name, Folder) : throw new InputException("the name of a file is empty; give a name.");
        }
        catch (ArgumentException wrong)
        {
            throw new InputException($"'{name}' is no name of a file: {wrong.Message.Split(" (Parameter")[0]}", wrong);
        }
    }

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
        if (IsClosed(1))
        {
            return new ClosedStream("standard output");
        }

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

    // Of a process that was started without one of its standard streams, the number belongs to another file, which the runtime has opened since then. Those are
    // closed on exec, and no file that came through exec is.
    private static bool IsClosed(int descriptor)
    {
        const int ClosedOnExec = 0x80000;
        try
        {
            return OperatingSystem.IsLinux()
                && File.ReadLines($"/proc/self/fdinfo/{descriptor}").FirstOrDefault(static line => line.StartsWith("flags:", StringComparison.Ordinal)) is { } line
                && (Convert.ToInt32(line["flags:".Length..].Trim(), 8) & ClosedOnExec) != 0;
        }
        catch (FileNotFoundException)
        {
            return true;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException or FormatException or OverflowException)
        {
            return false;
        }
    }
}
