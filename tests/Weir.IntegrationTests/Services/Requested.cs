using System.Security.Claims;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Weir.IntegrationTests.Services;

/// <summary>Takes the request, and services without an attribute.</summary>
[Service]
public sealed class Requested
{
    [Get]
    public string Read(HttpContext http, HttpRequest request, ClaimsPrincipal user, string text) =>
        $"{ReferenceEquals(http.Request, request)} {request.Headers["X-Some"]} {user.Identity?.Name} {text}";

    [Blocking]
    public void Answer(HttpResponse response, string text)
    {
        response.StatusCode = 418;
        response.ContentType = "text/x-own";
        response.WriteAsync(text).GetAwaiter().GetResult();
    }

    public int Status(HttpResponse response)
    {
        response.Headers["X-Own"] = "yes";
        return 5;
    }

    public string Services(IRequestedService one, RequestedBase two, ILogger<Requested> log, IRequestedMissing? none = null) =>
        $"{one.Text} {two.Text} {log is not null} {none is null}";

    public string FromCode(string text) => text;
}

/// <summary>A service that is an interface.</summary>
public interface IRequestedService
{
    string Text { get; }
}

/// <summary>One that is not registered.</summary>
public interface IRequestedMissing;

/// <summary>A service that is an abstract class.</summary>
public abstract class RequestedBase : IRequestedService
{
    public abstract string Text { get; }
}

/// <summary>Both.</summary>
public sealed class RequestedService : RequestedBase
{
    public override string Text => "service";
}
