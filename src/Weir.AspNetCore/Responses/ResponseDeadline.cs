using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Weir.AspNetCore.Binding;
using Weir.Runtime;

namespace Weir.AspNetCore.Responses;

/// <summary>
/// The lifetime of a request whose result writes the response within the caller's deadline. The deadline cancels the request's token, which is the only
/// one that an <see cref="IResult"/> knows.
/// </summary>
internal sealed class ResponseDeadline : IHttpRequestLifetimeFeature
{
    private readonly IHttpRequestLifetimeFeature _server;
    private readonly HttpResponse _response;
    private readonly CancellationToken _expired;

    private ResponseDeadline(IHttpRequestLifetimeFeature server, HttpResponse response, CancellationToken expired, CancellationToken either)
    {
        _server = server;
        _response = response;
        _expired = expired;
        RequestAborted = either;
    }

    public CancellationToken RequestAborted { get; set; }

    /// <summary>Writes the whole response.</summary>
    /// <param name="http">The request.</param>
    /// <param name="call">It holds the result.</param>
    /// <param name="rest">How long the caller still waits.</param>
    /// <param name="time">The clock.</param>
    /// <exception cref="DeadlineExceededException">The deadline passed before the response was complete.</exception>
    internal static async Task WriteAsync(HttpContext http, Call call, TimeSpan rest, TimeProvider time)
    {
        if (rest <= TimeSpan.Zero)
        {
            throw Late(http, call);
        }

        var server = http.Features.GetRequiredFeature<IHttpRequestLifetimeFeature>();
        using var expiry = new CancellationTokenSource(rest, time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(expiry.Token, server.RequestAborted);
        http.Features.Set<IHttpRequestLifetimeFeature>(new ResponseDeadline(server, http.Response, expiry.Token, either.Token));
        try
        {
            await OwnResult.WriteAsync(http, call);
            if (call.Result is IResult)
            {
                // Some results of ASP.NET Core catch the cancellation and end as if they were complete.
                expiry.Token.ThrowIfCancellationRequested();
            }
        }
        catch (OperationCanceledException) when (expiry.IsCancellationRequested)
        {
            throw Late(http, call);
        }
        finally
        {
            http.Features.Set(server);
        }
    }

    /// <summary>Aborts the connection, except where a result of ASP.NET Core does it because of the deadline, and a problem can still be sent.</summary>
    public void Abort()
    {
        if (!_expired.IsCancellationRequested || _response.HasStarted)
        {
            _server.Abort();
        }
    }

    private static DeadlineExceededException Late(HttpContext http, Call call) => new(
        $"The response of {call.Operation} was not complete within its deadline, {DeadlineHeader.Name}: {http.Request.Headers[DeadlineHeader.Name]}. See {WeirCodes.DeadlineExceeded}.");
}
