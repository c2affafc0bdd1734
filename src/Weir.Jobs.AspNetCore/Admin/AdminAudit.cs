using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Weir.AspNetCore.Diagnostics;

namespace Weir.Jobs.AspNetCore.Admin;

/// <summary>Writes a line in the log before an operator changes something, and one with the outcome, in the category of all actions.</summary>
internal static class AdminAudit
{
    /// <summary>Adds it to an endpoint.</summary>
    /// <param name="action">What the operator does; where the path names it, <c>null</c>.</param>
    /// <param name="things">Of what: jobs, a kind, a schedule.</param>
    /// <param name="answer">The endpoint.</param>
    public static RequestDelegate Of(string? action, string things, RequestDelegate answer) => async http =>
    {
        var log = http.RequestServices.GetRequiredService<ILoggerFactory>().CreateLogger(AuditEvents.Category);
        var (user, address) = AuditEvents.CallerOf(http);
        var named = NamedAction.TryRead(http, out var read) ? read : null;
        var (verb, target) = (action ?? named?.Action ?? "change", $"{things} {named?.Name ?? http.GetRouteValue("id") ?? "by a filter"}");
        log.ActionAsked(user, address, verb, target);
        try
        {
            await answer(http);
        }
        catch (Exception failure)
        {
            log.ActionFailed(failure, user, address, verb, target);
            throw;
        }

        log.ActionEnded(user, address, verb, target, http.Response.StatusCode < StatusCodes.Status300MultipleChoices ? "It is done." : $"It is refused with {http.Response.StatusCode}.");
    };
}
