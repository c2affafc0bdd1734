using Microsoft.AspNetCore.Http;
using Weir.Execution.Observation.Records;

namespace Weir.Dashboard.Endpoints;

/// <summary>One operation, one pool, the host; and the lists that a record cuts.</summary>
/// <param name="dashboard">What all endpoints share.</param>
internal sealed class DetailEndpoints(DashboardHost dashboard)
{
    // More than a person reads, and little enough for a page.
    private const int MostCalls = 200;

    public Task OperationsAsync(HttpContext http)
    {
        var rows = dashboard.Details.ReadOperations();
        return DashboardEndpoints.WriteAsync(http, json => DetailWriter.Write(json, rows));
    }

    // ?of=Reports/Build
    public Task OperationAsync(HttpContext http)
    {
        var name = http.Request.Query["of"].ToString();
        return dashboard.Details.ReadOperation(name) is { } detail
            ? DashboardEndpoints.WriteAsync(http, json => DetailWriter.Write(json, detail))
            : DashboardEndpoints.SayAsync(http, StatusCodes.Status404NotFound, $"There is no operation '{name}': ask for operation?of=SERVICE/OPERATION.");
    }

    // ?of=hashing
    public Task PoolAsync(HttpContext http)
    {
        var name = http.Request.Query["of"].ToString();
        var now = dashboard.Time.GetUtcNow();
        return dashboard.Details.ReadPool(name) is { } detail
            ? DashboardEndpoints.WriteAsync(http, json => DetailWriter.Write(json, detail, now))
            : DashboardEndpoints.SayAsync(http, StatusCodes.Status404NotFound, $"There is no pool '{name}': ask for pool?of=NAME.");
    }

    public Task CallsAsync(HttpContext http)
    {
        var calls = dashboard.Reader.ReadCalls(MostCalls, out var total);
        return DashboardEndpoints.WriteAsync(http, json => DetailWriter.Write(json, calls, total));
    }

    public Task HostAsync(HttpContext http)
    {
        var host = dashboard.Details.ReadHost();
        return DashboardEndpoints.WriteAsync(http, json => DetailWriter.Write(json, host));
    }
}
