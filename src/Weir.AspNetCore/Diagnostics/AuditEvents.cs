using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Weir.AspNetCore.Diagnostics;

/// <summary>The lines about what operators do. Numbers are never reused.</summary>
internal static partial class AuditEvents
{
    /// <summary>The category of these lines.</summary>
    internal const string Category = "Weir.Audit";

    /// <summary>Who asks, for these lines.</summary>
    internal static (string User, string Address) CallerOf(HttpContext http) =>
        (CallerName.Of(http) ?? "someone without a name", http.Connection.RemoteIpAddress?.ToString() ?? "an unknown address");

    [LoggerMessage(4244, LogLevel.Information, "{User} at {Address} asks to {Action} {Target}.")]
    internal static partial void ActionAsked(this ILogger log, string user, string address, string action, string target);

    [LoggerMessage(4245, LogLevel.Information, "{User} at {Address}, {Action} {Target}: {Outcome}")]
    internal static partial void ActionEnded(this ILogger log, string user, string address, string action, string target, string outcome);

    [LoggerMessage(4246, LogLevel.Error, "{User} at {Address}, {Action} {Target}: it failed.")]
    internal static partial void ActionFailed(this ILogger log, Exception failure, string user, string address, string action, string target);
}
