using Weir.Protocol;

namespace Weir.Execution.Processes;

/// <summary>
/// Says in words how a worker ended, from what is known: who killed it, its last word, its exit status, and what the runtime
/// printed when it died. Exit codes alone say little: 134 and 137 are ordinary numbers to a program.
/// </summary>
internal static class CrashCause
{
    // What the .NET runtime writes to stderr, in the order in which one would believe it.
    private const string StackOverflow = "Stack overflow";
    private const string OutOfMemory = "Out of memory";
    private const string Unhandled = "Unhandled exception. ";
    private const string FailFast = "Process terminated.";

    private const int LongestQuote = 300;

    public static string Describe(ExitReport report, string outputTail, KillReason killed, ByePayload? bye) => killed switch
    {
        KillReason.IgnoredCancel => "killed: its call was cancelled and did not end within the grace",
        KillReason.DidNotLeave => "killed: it was told to leave and did not",
        KillReason.BrokeProtocol => "killed: it broke the protocol",
        KillReason.NotNeeded => "killed: it was still starting when the pool drained",
        KillReason.Stopping => "killed: the pool was stopped without waiting for its calls",
        _ => bye switch
        {
            { Reason: ByeReason.Drained } => $"drained ({report})",
            { Reason: ByeReason.OutOfMemory } => $"out of memory ({report})",
            { Reason: ByeReason.ProtocolViolation } said => $"it found the host breaking the protocol: {said.Message} ({report})",
            { } said => $"{said.Message} ({report})",
            null => Died(report, outputTail),
        },
    };

    private static string Died(ExitReport report, string tail)
    {
        // An orderly exit prints none of this, whatever the application printed before.
        if (report.Signal != 6 && report.ExitCode != 134)
        {
            return report.ToString();
        }

        if (tail.Contains(StackOverflow, StringComparison.Ordinal))
        {
            return $"stack overflow ({report})";
        }

        if (Quote(tail, Unhandled) is { } thrown)
        {
            return $"unhandled exception: {thrown} ({report})";
        }

        if (tail.Contains(OutOfMemory, StringComparison.Ordinal))
        {
            return $"out of memory ({report})";
        }

        return Quote(tail, FailFast) is { } last ? $"it ended itself at once: {last} ({report})" : report.ToString();
    }

    // The rest of the last line that begins so, or the line after it.
    private static string? Quote(string tail, string beginning)
    {
        var at = tail.LastIndexOf(beginning, StringComparison.Ordinal);
        if (at < 0)
        {
            return null;
        }

        var rest = tail.AsSpan(at + beginning.Length).TrimStart();
        var end = rest.IndexOf('\n');
        var line = (end < 0 ? rest : rest[..end]).Trim();
        return (line.Length <= LongestQuote ? line : line[..LongestQuote]).ToString();
    }
}
