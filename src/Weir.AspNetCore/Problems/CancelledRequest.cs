using System.Runtime.ExceptionServices;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Timeouts;

namespace Weir.AspNetCore.Problems;

/// <summary>
/// A request whose token fired: the client has disconnected, or a middleware has replaced the server's token with its own
/// and cancelled that. The log needs to know which of them it was, and so does the answer to a client that is still connected.
/// </summary>
internal static class CancelledRequest
{
    /// <summary>Whether the time limit of the application's request timeouts has passed.</summary>
    internal static bool HasTimedOut(HttpContext http) => http.Features.Get<IHttpRequestTimeoutFeature>() is { RequestTimeoutToken.IsCancellationRequested: true };

    /// <summary>What a client reads that is still connected.</summary>
    internal static Problem Describe(HttpContext http) => HasTimedOut(http)
        ? new Problem(StatusCodes.Status504GatewayTimeout, WeirCodes.DeadlineExceeded, "The request timeout of the application passed before the stream was complete.")
        : new Problem(ProblemMapping.ClientClosedRequest, WeirCodes.Cancelled, "The server cancelled the request before the stream was complete.");

    /// <summary>
    /// Leaves the answer to the middleware that has cancelled the request: while nothing was sent, it can still be an ordinary answer.
    /// Returns where the client has disconnected and no token has fired: then no answer is sent.
    /// </summary>
    /// <exception cref="OperationCanceledException">The request's token fired.</exception>
    internal static void Rethrow(HttpContext http, Exception error, CancellationToken token)
    {
        if (!http.Response.HasStarted)
        {
            // For the log and the metrics, in case the client has disconnected; otherwise the middleware chooses a status.
            http.Response.StatusCode = ProblemMapping.ClientClosedRequest;
        }

        if (!token.IsCancellationRequested)
        {
            return;
        }

        // A middleware may compare it with its own token.
        if (error is OperationCanceledException cancelled && cancelled.CancellationToken == token)
        {
            ExceptionDispatchInfo.Throw(error);
        }

        throw new OperationCanceledException("The request was cancelled.", error, token);
    }
}
