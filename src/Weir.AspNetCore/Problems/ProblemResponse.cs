using System.Globalization;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Primitives;
using Weir.AspNetCore.Diagnostics;
using Weir.AspNetCore.Http;
using Weir.Runtime;

namespace Weir.AspNetCore.Problems;

/// <summary>
/// Answers a request with a problem: by the application's <see cref="IProblemDetailsService"/> where one is registered and answers, otherwise as
/// <c>application/problem+json</c> whatever the request accepts.
/// </summary>
internal static class ProblemResponse
{
    private static readonly StringValues ContentType = MediaTypes.ProblemJson;

    /// <summary>Writes the whole response. If a response has already begun, it can only be aborted.</summary>
    /// <param name="http">The request.</param>
    /// <param name="problem">The problem.</param>
    /// <param name="error">What was thrown, for the application's service; <c>null</c> where the problem is not an exception.</param>
    internal static async Task WriteAsync(HttpContext http, Problem problem, Exception? error = null)
    {
        var response = http.Response;
        if (response.HasStarted)
        {
            http.Abort();
            return;
        }

        // What a failed operation had set.
        ResponseHeaders.ForgetBody(response.Headers);
        response.StatusCode = problem.Status;
        AddHeaders(response.Headers, problem);
        if (!ResponseHeaders.AllowsBody(problem.Status))
        {
            return;
        }

        var report = ProblemReport.Of(problem, http);
        if (http.RequestServices.GetService<IProblemDetailsService>() is { } service && await TryWriteAsync(service, http, report, error))
        {
            return;
        }

        using var body = new PayloadWriter();
        var json = body.BeginJson();
        json.WriteStartObject();
        report.WriteMembers(json);
        json.WriteEndObject();
        body.EndJson();

        response.Headers.ContentType = ContentType;
        response.ContentLength = body.Length;
        if (!HttpMethods.IsHead(http.Request.Method))
        {
            await response.BodyWriter.WriteAsync(body.WrittenMemory);
        }
    }

    // Whether the application's service has answered. Its writers and customizations are code of the application, which may fail.
    private static async ValueTask<bool> TryWriteAsync(IProblemDetailsService service, HttpContext http, ProblemReport report, Exception? error)
    {
        try
        {
            return await service.TryWriteAsync(new ProblemDetailsContext { HttpContext = http, ProblemDetails = report.ToDetails(), Exception = error });
        }
        catch (Exception failure) when (!http.RequestAborted.IsCancellationRequested)
        {
            http.RequestServices.GetService<ILoggerFactory>()?.CreateLogger("Weir.AspNetCore").ProblemServiceFailed(failure, report.Problem.Code);
            if (http.Response.HasStarted)
            {
                http.Abort();
                return true;
            }

            ResponseHeaders.ForgetBody(http.Response.Headers);
            http.Response.StatusCode = report.Problem.Status;
            return false;
        }
    }

    private static void AddHeaders(IHeaderDictionary headers, Problem problem)
    {
        if (problem.Allow is { } allow)
        {
            headers.Allow = allow;
        }

        if (problem.RetryAfter is { } wait)
        {
            // In whole seconds, and never zero: an immediate retry would fail again.
            headers.RetryAfter = Math.Max(1, (long)Math.Ceiling(wait.TotalSeconds)).ToString(CultureInfo.InvariantCulture);
        }

        ResponseHeaders.Add(headers, problem.Headers);
    }
}
