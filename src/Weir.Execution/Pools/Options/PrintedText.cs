using System.Text;
using Weir.Execution.Processes;

namespace Weir.Execution.Pools.Options;

/// <summary>
/// Shortens what a worker printed for a line in the log to what a person needs: what a failed runtime said, and the frames down to the operation. What is below
/// them is Weir's and the same in every report. All of the output is in <see cref="CrashReport.Output"/>.
/// </summary>
internal static class PrintedText
{
    private const string Frame = "at ";

    // What calls an operation: generated code, which the worker's own code calls. Below that is Main, of the worker or of an application that is its own worker.
    private const string Generated = "Weir.Generated.";
    private const string Worker = "Weir.Worker.";

    // Characters that are kept of the beginning and of the end.
    private static readonly (int Head, int Tail) Before = (0, 1000);
    private static readonly (int Head, int Tail) Message = (1200, 300);
    private static readonly (int Head, int Tail) Stack = (2000, 500);
    private static readonly (int Head, int Tail) Other = (1000, 2000);

    /// <summary>At most about 5,000 characters.</summary>
    public static string Shorten(string output)
    {
        var lines = output.Split('\n');
        var failure = Array.FindLastIndex(lines, static line => FatalErrorLine.Is(line));
        if (failure < 0)
        {
            return Cut(output, Other);
        }

        var stack = Array.FindIndex(lines, failure, IsFrame);
        stack = stack < 0 ? lines.Length : stack;
        string[] parts =
        [
            Cut(string.Join('\n', lines[..failure]), Before),
            Cut(string.Join('\n', lines[failure..stack]), Message),
            Cut(string.Join('\n', WithoutPlumbing(lines[stack..])), Stack),
        ];
        return string.Join('\n', parts.Where(static part => part.Length > 0));
    }

    /// <summary>At most about 2,500 characters of a stack.</summary>
    public static string ShortenStack(string stack) => Cut(stack, Stack);

    private static bool IsFrame(string line) => line.AsSpan().TrimStart().StartsWith(Frame, StringComparison.Ordinal);

    private static bool IsPlumbing(string line) => line.Contains(Worker, StringComparison.Ordinal) || line.Contains(Generated, StringComparison.Ordinal);

    // Of each stack the frames down to the last one above Weir's; all of a stack that begins with Weir's own. Lines between frames (rules, "End of stack trace
    // from previous location") belong to a stack, and a line that is repeated is there once.
    private static List<string> WithoutPlumbing(string[] lines)
    {
        var kept = new List<string>();
        var (hasOwn, isBelow, left, repeated) = (false, false, 0, 0);
        foreach (var line in lines)
        {
            if (!IsFrame(line) && !line.AsSpan().TrimStart().StartsWith("--"))
            {
                Note();
                (hasOwn, isBelow) = (hasOwn && line.StartsWith("Repeat", StringComparison.Ordinal), false);
            }
            else if (IsFrame(line))
            {
                isBelow |= hasOwn && IsPlumbing(line);
                hasOwn |= !IsPlumbing(line);
            }

            if (isBelow)
            {
                left++;
            }
            else if (kept.Count > 0 && IsFrame(line) && kept[^1] == line)
            {
                repeated++;
            }
            else
            {
                Note();
                kept.Add(line);
            }
        }

        Note();
        return kept;

        void Note()
        {
            if (repeated > 0)
            {
                kept.Add($"   … {repeated} times more");
            }

            if (left > 0)
            {
                kept.Add($"   … {left} frames of Weir and its caller");
            }

            (left, repeated) = (0, 0);
        }
    }

    private static string Cut(string text, (int Head, int Tail) kept)
    {
        var left = text.Length - kept.Head - kept.Tail;
        if (left <= 0)
        {
            return text;
        }

        var cut = new StringBuilder(text, 0, kept.Head, kept.Head + kept.Tail + 50);
        return cut.Append(kept.Head > 0 ? "\n" : "").Append("… (").Append(left).Append(" characters) …\n").Append(text, text.Length - kept.Tail, kept.Tail).ToString();
    }
}
