using Microsoft.AspNetCore.Http;

namespace Weir.AspNetCore.Problems;

/// <summary>Maps every outcome of a call to HTTP: the one place where <see cref="CallStatus"/> becomes a status code.</summary>
internal static class ProblemMapping
{
    /// <summary>What a call is logged as when its caller disconnected; no client receives it.</summary>
    internal const int ClientClosedRequest = 499;

    internal static int ToHttpStatus(CallStatus status) => status switch
    {
        CallStatus.Ok => 200,
        CallStatus.BadRequest => 400,
        CallStatus.Rejected => 503,
        CallStatus.DeadlineExceeded => 504,
        CallStatus.Cancelled => ClientClosedRequest,
        CallStatus.HandlerFailed => 500,
        CallStatus.WorkerLost => 502,
        CallStatus.ProtocolViolation => 502,
        _ => 500,
    };

    /// <summary>Describes what a call threw; the details of an exception of user code are hidden unless the option allows them, or a status is declared for it.</summary>
    internal static Problem From(Exception error, bool includeDetails, int? declared = null)
    {
        var problem = error switch
        {
            _ when declared is { } status => new Problem(status, WeirCodes.OperationStatus, ExceptionText.Message(error)),
            BindingException binding => new Problem(400, binding.Code, binding.Message) { BindingErrors = binding.Errors },
            CallRejectedException rejected => new Problem(503, rejected.Code, rejected.Message) { RetryAfter = rejected.RetryAfter ?? TimeSpan.FromSeconds(1) },
            OperationStatusException chosen => new Problem(chosen.StatusCode, chosen.Code, chosen.Message) { Headers = chosen.Headers },
            SenderStalledException stalled => new Problem(408, stalled.Code, stalled.Message),
            BadHttpRequestException unreadable => UnreadableBody.Describe(unreadable),
            WorkerLostException { Code: not WeirCodes.WorkerLost } start when !includeDetails => new Problem(
                502, start.Code, $"No worker of pool '{start.Pool}' could be started: {start.Cause}. The server's log has the reason under this traceId.")
            { Report = start.ReportId },
            WorkerLostException lost => new Problem(502, lost.Code, lost.Message) { Report = lost.ReportId },
            WeirException failed and not RemoteException => new Problem(ToHttpStatus(failed.Status), failed.Code, failed.Message),
            _ when includeDetails => new Problem(500, WeirCodes.HandlerFailed, $"{NameOf(error)}: {ExceptionText.Message(error)}"),
            _ => new Problem(500, WeirCodes.HandlerFailed, "The operation's own code threw an exception; the server's log has it under this traceId."),
        };
        return includeDetails ? problem with { Exception = ExceptionText.Full(error) } : problem;
    }

    /// <summary>Whether user code threw it, in this process or in a worker: neither Weir, nor the server that read the request, nor an operation that chose its status.</summary>
    internal static bool IsOfUserCode(Exception error) => error is not (WeirException and not RemoteException) and not BadHttpRequestException;

    /// <summary>Whether this is the operation's own failure, which is logged as an error.</summary>
    internal static bool IsFailure(Exception error) => error is not WeirException { Status: not CallStatus.HandlerFailed } and not OperationStatusException and not BadHttpRequestException;

    private static string NameOf(Exception error) => error is RemoteException remote ? remote.TypeName : error.GetType().FullName ?? nameof(Exception);
}
