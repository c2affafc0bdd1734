using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Endpoints;
using Weir.AspNetCore.Problems;
using Weir.Jobs.AspNetCore.Problems;

namespace Weir.Jobs.AspNetCore.Endpoints;

/// <summary>What all requests for jobs have in common: pages of other sites change nothing, and what the store throws is a problem.</summary>
internal static class JobRequest
{
    private static readonly Problem CrossSiteRefused = new(
        StatusCodes.Status403Forbidden, WeirCodes.CrossSiteRefused,
        "A page of another site sent this request, and jobs are changed by the application's own pages only (Sec-Fetch-Site: same-origin or none). Behind a proxy, the ForwardedHeaders middleware must restore the scheme and host that the browser used.");

    /// <summary>Answers a request, or says why not.</summary>
    /// <param name="jobs">The parts of the endpoints.</param>
    /// <param name="answer">Answers it.</param>
    public static RequestDelegate Guard(JobsOverHttp jobs, RequestDelegate answer) => async http =>
    {
        // Problems, too: they say whether a job exists.
        http.Response.Headers.CacheControl = "no-store";
        if (!AllowedVerbs.IsSafe(http.Request.Method) && CrossSite.Sent(http))
        {
            await ProblemResponse.WriteAsync(http, CrossSiteRefused);
            return;
        }

        try
        {
            await answer(http);
        }
        catch (Exception error) when (error is WeirException or ObjectDisposedException && !http.RequestAborted.IsCancellationRequested)
        {
            await ProblemResponse.WriteAsync(http, error is ObjectDisposedException ? JobProblems.Stopped : jobs.Problems.OfAdmin(error), error);
        }
        catch (OperationCanceledException error) when (http.RequestAborted.IsCancellationRequested && !http.Response.HasStarted)
        {
            // The caller has left, or a middleware has cancelled the request, which answers. The job runs on.
            CancelledRequest.Rethrow(http, error, http.RequestAborted);
        }
    };
}
