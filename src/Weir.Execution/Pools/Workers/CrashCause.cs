using Weir.Execution.Pools.Scheduling;
using Weir.Execution.Processes;
using Weir.Protocol.Payloads;

namespace Weir.Execution.Pools.Workers;

/// <summary>
/// Describes how a worker ended: why the host killed it, its BYE, its exit status, and what the runtime printed when it failed. Exit
/// codes alone are not enough: a program may use 134 and 137 as ordinary numbers. The message of an exception stays in the log: callers
/// may be untrusted, and the message may contain secrets.
/// </summary>
internal static class CrashCause
{
    private const int AbortSignal = 6;

    // The exit code with which a shell reports that signal.
    private const int AbortCode = 134;
    private const int LongestName = 300;

    // What a native program says where the runtime says "Out of memory."
    private const string UnhandledOutOfMemory = FatalErrorLine.Unhandled + "System.OutOfMemoryException";

    public static string Describe(ExitReport report, string? lastWords, KillReason killed, ByePayload? bye) => killed switch
    {
        KillReason.IgnoredCancel => "killed: its call was cancelled and did not end within the grace",
        KillReason.DidNotExit => "killed: the host asked it to drain and it did not exit in time",
        KillReason.BrokeProtocol => "killed: it broke the protocol",
        KillReason.NotNeeded => "killed: it was still starting when it was not needed any more",
        KillReason.Stalled => "killed: it was sent calls, started none of them, and did not answer a PING",
        KillReason.Asked => "killed on request",
        KillReason.Stopping => "killed: the pool was stopped without waiting for its calls",
        _ => bye switch
        {
            { Reason: ByeReason.Drained } => $"drained ({report})",
            { Reason: ByeReason.OutOfMemory } => $"out of memory ({report})",
            { Reason: ByeReason.ProtocolViolation } said => $"it reported that the host broke the protocol: {said.Message} ({report})",
            { } said => $"{said.Message} ({report})",
            null => Died(report, lastWords),
        },
    };

    // An orderly exit is not explained by what was printed before it.
    private static string Died(ExitReport report, string? lastWords) =>
        report.IsOutOfMemory ? $"out of memory ({report})"
        : lastWords is null || (report.Signal != AbortSignal && report.ExitCode != AbortCode)
            ? report.ToString()
            : $"{Explain(lastWords)} ({report})";

    private static string Explain(string lastWords) => lastWords switch
    {
        _ when lastWords.StartsWith(FatalErrorLine.StackOverflow, StringComparison.Ordinal) => "stack overflow",
        _ when lastWords.StartsWith(FatalErrorLine.OutOfMemory, StringComparison.Ordinal) || lastWords.StartsWith(UnhandledOutOfMemory, StringComparison.Ordinal) => "out of memory",
        _ when lastWords.StartsWith(FatalErrorLine.Unhandled, StringComparison.Ordinal) => $"unhandled exception: {TypeName(lastWords)}",
        _ => "it ended itself (FailFast)",
    };

    private static string TypeName(string lastWords)
    {
        var name = lastWords[FatalErrorLine.Unhandled.Length..].Trim().Split(':', '\n')[0];
        return name.Length <= LongestName ? name : name[..LongestName] + "…";
    }
}
