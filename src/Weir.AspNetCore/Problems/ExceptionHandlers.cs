using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Http;

namespace Weir.AspNetCore.Problems;

/// <summary>
/// The exception handlers of the application (<c>AddExceptionHandler</c>), which see what user code threw before Weir answers. The
/// middleware that would call them never gets such an exception, so they are called once. Used concurrently.
/// </summary>
internal sealed class ExceptionHandlers(IEnumerable<IExceptionHandler> handlers)
{
    private readonly IExceptionHandler[] _handlers = [.. handlers];

    /// <summary>Whether a handler may answer: there is one, the exception comes from user code, and nothing was sent.</summary>
    internal bool MayHandle(HttpContext http, Exception error) =>
        _handlers.Length > 0 && ProblemMapping.IsOfUserCode(error) && !http.Response.HasStarted;

    /// <summary>Calls the handlers in the order of their registration, with status 500 as the middleware does, until one of them has answered.</summary>
    internal async ValueTask<bool> TryHandleAsync(HttpContext http, Exception error)
    {
        var status = http.Response.StatusCode;
        http.Response.StatusCode = StatusCodes.Status500InternalServerError;
        ResponseHeaders.ForgetBody(http.Response.Headers);
        var feature = new ExceptionHandlerFeature
        {
            Error = error,
            Path = http.Request.Path,
            Endpoint = http.GetEndpoint(),
            RouteValues = http.Request.RouteValues,
        };
        http.Features.Set<IExceptionHandlerFeature>(feature);
        http.Features.Set<IExceptionHandlerPathFeature>(feature);
        foreach (var handler in _handlers)
        {
            if (await handler.TryHandleAsync(http, error, http.RequestAborted))
            {
                return true;
            }
        }

        if (!http.Response.HasStarted)
        {
            http.Response.StatusCode = status;
        }

        return false;
    }
}
