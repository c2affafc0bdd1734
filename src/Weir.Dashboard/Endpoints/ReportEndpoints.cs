using System.Text;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Weir.Execution.Observation;
using Weir.Execution.Observation.Records;

namespace Weir.Dashboard.Endpoints;

/// <summary>Crash reports: the list of those that are kept, one by its id, and what its worker printed.</summary>
/// <param name="dashboard">The application.</param>
internal sealed class ReportEndpoints(DashboardHost dashboard)
{
    public Task ListAsync(HttpContext http) => DashboardEndpoints.WriteAsync(http, json => RecordWriter.Write(json, dashboard.Runtime.Reports));

    // As text where that is asked for. JSON is kept compressed, and sent so to those who can read it.
    public Task FindAsync(HttpContext http)
    {
        var id = Id(http);
        if (http.Request.Headers.Accept.ToString().StartsWith("text/plain", StringComparison.OrdinalIgnoreCase))
        {
            return dashboard.Runtime.FindReport(id) is { } report ? SendTextAsync(http, ReportText.Write(report)) : UnknownAsync(http, id);
        }

        if (!dashboard.Runtime.Workers.Reports.TryGetCompressed(id, out var compressed))
        {
            return UnknownAsync(http, id);
        }

        if (http.Request.Headers.AcceptEncoding.ToString().Contains("gzip", StringComparison.OrdinalIgnoreCase))
        {
            http.Response.Headers.ContentEncoding = "gzip";
            http.Response.Headers.Vary = "Accept, Accept-Encoding";
            return DashboardEndpoints.WriteAsync(http, "application/json; charset=utf-8", compressed);
        }

        return DashboardEndpoints.WriteAsync(http, "application/json; charset=utf-8", CrashReportJson.Decompress(compressed));
    }

    // What a worker printed is text, whatever it looks like: no browser may make a page of it.
    public Task OutputAsync(HttpContext http)
    {
        var id = Id(http);
        if (dashboard.Runtime.FindReport(id) is not { } report)
        {
            return UnknownAsync(http, id);
        }

        http.Response.Headers.ContentDisposition = $"attachment; filename=\"{report.Id}.txt\"";
        return SendTextAsync(http, report.Output);
    }

    private static string Id(HttpContext http) => http.GetRouteValue("id") as string ?? "";

    private static Task SendTextAsync(HttpContext http, string text) => DashboardEndpoints.WriteAsync(http, "text/plain; charset=utf-8", Encoding.UTF8.GetBytes(text));

    private static Task UnknownAsync(HttpContext http, string id) =>
        DashboardEndpoints.SayAsync(http, StatusCodes.Status404NotFound, $"There is no crash report '{id}' here. Each process keeps its own, 1 MB in all: the oldest go first.");
}
