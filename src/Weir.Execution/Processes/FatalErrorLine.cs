using System.Text;

namespace Weir.Execution.Processes;

/// <summary>
/// Remembers the line that a .NET runtime prints on stderr when it terminates itself. What follows it (a stack trace of an overflow) may
/// be longer than everything else that is kept.
/// </summary>
/// <param name="next">Receives every line.</param>
internal sealed class FatalErrorLine(IOutputSink next) : IOutputSink
{
    public const string StackOverflow = "Stack overflow";
    public const string OutOfMemory = "Out of memory";
    public const string Unhandled = "Unhandled exception. ";
    public const string FailFast = "Process terminated.";

    private static readonly string[] Beginnings = [StackOverflow, OutOfMemory, Unhandled, FailFast];

    private bool _goesOn;

    /// <summary>The last such line; <c>null</c> when there was none. An application may print such a line and continue to run.</summary>
    public string? Line { get; private set; }

    /// <summary>Whether a line begins like one.</summary>
    public static bool Is(string line) => Beginnings.Any(beginning => line.StartsWith(beginning, StringComparison.Ordinal));

    public void OnLine(OutputStream stream, ReadOnlySpan<byte> utf8, bool cut)
    {
        if (_goesOn)
        {
            Line += " " + Encoding.UTF8.GetString(utf8);
            _goesOn = false;
        }
        else if (utf8.StartsWith("Stack overflow"u8) || utf8.StartsWith("Out of memory"u8) || utf8.StartsWith("Unhandled exception. "u8) || utf8.StartsWith("Process terminated."u8))
        {
            Line = Encoding.UTF8.GetString(utf8);

            // FailFast prints its message on the next line.
            _goesOn = Line == FailFast;
        }

        next.OnLine(stream, utf8, cut);
    }
}
