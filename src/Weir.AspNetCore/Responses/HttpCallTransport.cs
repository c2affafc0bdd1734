using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Diagnostics;
using Weir.Runtime;

namespace Weir.AspNetCore.Responses;

/// <summary>Requests over HTTP. Used concurrently.</summary>
internal sealed class HttpCallTransport : CallTransport
{
    /// <summary>The only one.</summary>
    public static readonly HttpCallTransport Instance = new();

    private HttpCallTransport()
    {
    }

    /// <inheritdoc/>
    public override void Abort(object transport) => ((HttpContext)transport).Abort();

    /// <inheritdoc/>
    public override string? CallerOf(object transport)
    {
        var http = (HttpContext)transport;
        var (name, address) = (CallerName.Of(http), http.Connection.RemoteIpAddress?.ToString());
        return name is null ? address : address is null ? name : $"{name} at {address}";
    }
}
