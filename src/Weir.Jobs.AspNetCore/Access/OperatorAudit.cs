using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Weir.AspNetCore.Diagnostics;

namespace Weir.Jobs.AspNetCore.Access;

/// <summary>Writes a line in the log before an operator changes something, and one with the outcome, in the category of all actions.</summary>
internal static class OperatorAudit
{
    /// <summary>Changes it, between the two lines.</summary>
    /// <param name="http">The request.</param>
    /// <param name="action">What the operator does.</param>
    /// <param name="target">With what: "job" and its id, for example.</param>
    /// <param name="answer">Does it, and answers.</param>
    public static async Task RunAsync(HttpContext http, string action, string target, RequestDelegate answer)
    {
        var log = http.RequestServices.GetRequiredService<ILoggerFactory>().CreateLogger(AuditEvents.Category);
        var (user, address) = AuditEvents.CallerOf(http);
        log.ActionAsked(user, address, action, target);
        try
        {
            await answer(http);
        }
        catch (Exception failure)
        {
            log.ActionFailed(failure, user, address, action, target);
            throw;
        }

        log.ActionEnded(user, address, action, target, http.Response.StatusCode < StatusCodes.Status300MultipleChoices ? "It is done." : $"It is refused with {http.Response.StatusCode}.");
    }
}
