using System.Globalization;
using Microsoft.AspNetCore.Authorization;
using SecureApi.Setup;
using Weir;

namespace SecureApi.Billing;

/// <summary>
/// Runs in worker processes, where no token and no user exist: policies hold before the call gets there, and the filter passes the tenant on.
/// The trace and its baggage come along by themselves.
/// </summary>
[Service(Route = "/previews"), Isolated("previews"), Authorize(Access.Read), PassesTenant]
public sealed class Previews(ILogger<Previews> logger)
{
    /// <summary>What an invoice would look like.</summary>
    [Post("")]
    public string Render(NewInvoice invoice, OperationContext context)
    {
        using var layout = Telemetry.Source.StartActivity("layout");
        layout?.SetTag("app.channel", layout.GetBaggageItem("channel"));

        var tenant = (string?)context.Items[PassesTenantAttribute.Item];
        if (logger.IsEnabled(LogLevel.Information))
        {
            logger.LogInformation("rendering a preview for {Tenant}", tenant);
        }

        return string.Create(CultureInfo.InvariantCulture, $"Invoice of {tenant}\nTo {invoice.Customer}\n{invoice.Amount} {invoice.Currency}\n");
    }
}
