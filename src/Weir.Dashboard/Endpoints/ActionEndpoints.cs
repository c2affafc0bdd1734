using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Weir.AspNetCore.Diagnostics;
using Weir.Dashboard.Actions;

namespace Weir.Dashboard.Endpoints;

/// <summary>What operators do, by POST with JSON. The policy was checked before.</summary>
/// <param name="dashboard">The application.</param>
internal sealed class ActionEndpoints(DashboardHost dashboard)
{
    private const int MostBytes = 16 * 1024;

    public async Task RunAsync(HttpContext http)
    {
        if (http.GetRouteValue("verb") is not string verb || !OperatorActions.Verbs.Contains(verb, StringComparer.Ordinal))
        {
            await DashboardEndpoints.SayAsync(http, StatusCodes.Status404NotFound, $"There is no such action; there are: {string.Join(", ", OperatorActions.Verbs)}.");
            return;
        }

        // A form of another page can send any other content type.
        if (!http.Request.HasJsonContentType())
        {
            await DashboardEndpoints.SayAsync(http, StatusCodes.Status415UnsupportedMediaType, "An action is sent as application/json.");
            return;
        }

        if (await ReadAsync(http) is not { } body)
        {
            await DashboardEndpoints.SayAsync(http, StatusCodes.Status413PayloadTooLarge, $"An action has at most {MostBytes} bytes.");
            return;
        }

        if (ActionRequest.Read(body) is not { } asked)
        {
            await DashboardEndpoints.SayAsync(http, StatusCodes.Status400BadRequest, """An action is an object with the member 'pool', and for a worker 'pid' and 'serial': {"pool":"hashing","pid":5101,"serial":7}; or with the member 'call': {"call":"8192"}.""");
            return;
        }

        var (user, address) = AuditEvents.CallerOf(http);
        var result = await dashboard.Actions.RunAsync(verb, asked, user, address);
        await DashboardEndpoints.SayAsync(http, result.Status, result.Text);
    }

    private static async Task<ReadOnlyMemory<byte>?> ReadAsync(HttpContext http)
    {
        if (http.Request.ContentLength > MostBytes)
        {
            return null;
        }

        var buffer = new byte[MostBytes + 1];
        var count = 0;
        while (count < buffer.Length && await http.Request.Body.ReadAsync(buffer.AsMemory(count), http.RequestAborted) is > 0 and var read)
        {
            count += read;
        }

        return count > MostBytes ? null : buffer.AsMemory(0, count);
    }
}
