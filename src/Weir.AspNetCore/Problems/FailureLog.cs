using Microsoft.Extensions.Logging;
using Weir.AspNetCore.Diagnostics;

namespace Weir.AspNetCore.Problems;

/// <summary>
/// The one log record of a call that failed, in the trace of its request: what the problem's <c>traceId</c> leads to. Its level says who must act: an
/// exception of an operation and a lost worker are errors; a call that was not served is one of many, which the pool reports together.
/// </summary>
internal static class FailureLog
{
    /// <summary>Logs a call that failed, unless its status says that the caller was wrong.</summary>
    /// <param name="log">The server's log.</param>
    /// <param name="operation">What was called.</param>
    /// <param name="error">What it threw.</param>
    /// <param name="isFailure">Whether that is the operation's own failure.</param>
    /// <param name="problem">What the caller reads.</param>
    internal static void CallFailed(this ILogger log, Operation operation, Exception error, bool isFailure, Problem problem)
    {
        if (isFailure)
        {
            // Its text is the application's own code, which may throw: for the loggers.
            OperationFailed(log, error, operation.FullName, problem.Status, problem.Code);
        }
        else if (IsLoss(error))
        {
            // The problem may hide what the exception says.
            log.WorkerLost(operation.FullName, problem.Status, problem.Code, problem.Report ?? "none", error.Message);
        }
        else if (problem.Status >= 500)
        {
            log.CallNotServed(operation.FullName, problem.Status, problem.Code, error.Message);
        }
    }

    // Never fails itself: neither where the exception's own members throw, nor where a log does.
    private static void OperationFailed(ILogger log, Exception error, string operation, int status, string code)
    {
        try
        {
            ServerEvents.LogOperationFailed(log, error, operation, status, code);
        }
        catch (Exception failure)
        {
            TryLogOperationFailed(log, new UnreadableException(error, failure is AggregateException { InnerExceptions: [var only] } ? only : failure), operation, status, code);
        }
    }

    // The request is answered also where no log takes anything.
    private static void TryLogOperationFailed(ILogger log, Exception error, string operation, int status, string code)
    {
        try
        {
            ServerEvents.LogOperationFailed(log, error, operation, status, code);
        }
        catch (Exception)
        {
        }
    }

    // No worker ran a call that is in quarantine.
    private static bool IsLoss(Exception error) => error is ProtocolViolationException or WorkerLostException and not { Code: WeirCodes.WorkerLost, ReportId: null };
}
