using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Weir.Jobs.AspNetCore.Access;

namespace Weir.Jobs.AspNetCore.Admin;

/// <summary>Says in the log what an endpoint changes for an operator.</summary>
internal static class AdminAudit
{
    /// <summary>Adds it to an endpoint.</summary>
    /// <param name="action">What the operator does; where the path names it, <c>null</c>.</param>
    /// <param name="things">Of what: jobs, a kind, a schedule.</param>
    /// <param name="answer">The endpoint.</param>
    public static RequestDelegate Of(string? action, string things, RequestDelegate answer) => http =>
    {
        var named = NamedAction.TryRead(http, out var read) ? read : null;
        return OperatorAudit.RunAsync(http, action ?? named?.Action ?? "change", $"{things} {named?.Name ?? http.GetRouteValue("id") ?? "by a filter"}", answer);
    };
}
