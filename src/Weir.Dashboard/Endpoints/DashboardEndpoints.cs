using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Weir.AspNetCore.Endpoints;
using Weir.Dashboard.Access;
using Weir.Dashboard.Streaming;
using Weir.Execution.Observation;
using Weir.Execution.Observation.Records;

namespace Weir.Dashboard.Endpoints;

/// <summary>The addresses of the dashboard. They are no operations: they stand in no catalog, and in none of their own tables.</summary>
internal static class DashboardEndpoints
{
    private const string Json = "application/json; charset=utf-8";
    private const string PlainText = "text/plain; charset=utf-8";

    private const int Hour = 3_600;
    private const int TwoMinutes = 120;

    /// <summary>Maps them.</summary>
    /// <param name="group">Where.</param>
    /// <param name="dashboard">What they share.</param>
    /// <param name="page">Whether the page is served, too.</param>
    /// <param name="options">Without the policy of actions their addresses do not exist.</param>
    public static void Map(RouteGroupBuilder group, DashboardHost dashboard, bool page, WeirDashboardOptions options)
    {
        var requirement = new PolicyRequirement("MapWeirDashboard", "what the application does, with the output of workers,", PolicyRule.LocalInDevelopment);
        var greeting = new Greeting(dashboard, options);
        var stream = new EventStream(dashboard, greeting);
        Get("/hello", greeting.AnswerAsync);
        Get("/snapshot", http =>
        {
            var reading = dashboard.Reader.Read();
            return WriteAsync(http, json => RecordWriter.Write(json, reading));
        });
        Get("/events", stream.AnswerAsync);
        Get("/ps", new TextEndpoint(dashboard).AnswerAsync);
        var details = new DetailEndpoints(dashboard);
        Get("/operations", details.OperationsAsync);
        Get("/operation", details.OperationAsync);
        Get("/pool", details.PoolAsync);
        Get("/calls", details.CallsAsync);
        Get("/host", details.HostAsync);
        Get("/history", http => HistoryAsync(http, dashboard));
        var reports = new ReportEndpoints(dashboard);
        Get("/reports", reports.ListAsync);
        Get("/reports/{id}", reports.FindAsync);
        Get("/reports/{id}/output", reports.OutputAsync);
        if (page)
        {
            Get("/", PageEndpoints.DocumentAsync, isOpenedByLinks: true);
            Get("/assets/{hash}/{name}", PageEndpoints.AssetAsync);
        }

        if (options.ActionPolicy is { } actionPolicy)
        {
            var own = new AuthorizeAttribute(actionPolicy);
            group
                .MapMethods("/actions/{verb}", [HttpMethods.Post], DashboardAccess.Guard(new ActionEndpoints(dashboard).RunAsync, own: own))
                .WithDisplayName("Weir dashboard: /actions/{verb}")
                .WithMetadata(requirement)
                .RequireAuthorization(own)
                .ExcludeFromDescription();
        }

        void Get(string pattern, RequestDelegate answer, bool isOpenedByLinks = false) => group
            .MapMethods(pattern, [HttpMethods.Get], DashboardAccess.Guard(answer, isOpenedByLinks))
            .WithDisplayName($"Weir dashboard: {pattern}")
            .WithMetadata(requirement)
            .ExcludeFromDescription();
    }

    /// <summary>Sends an answer.</summary>
    public static async Task WriteAsync(HttpContext http, string type, ReadOnlyMemory<byte> bytes)
    {
        http.Response.ContentType = type;
        http.Response.ContentLength = bytes.Length;
        await http.Response.Body.WriteAsync(bytes, http.RequestAborted);
    }

    /// <summary>Sends JSON.</summary>
    public static Task WriteAsync(HttpContext http, Action<Utf8JsonWriter> write) => WriteAsync(http, Json, JsonBytes.Of(write));

    /// <summary>Says in a sentence what is wrong with a request, or what became of it.</summary>
    public static Task SayAsync(HttpContext http, int status, string text)
    {
        http.Response.StatusCode = status;
        return WriteAsync(http, PlainText, Encoding.UTF8.GetBytes(text));
    }

    // ?of=pool/hashing or of=operation/Reports/Build, and span=2m or 1h.
    private static Task HistoryAsync(HttpContext http, DashboardHost dashboard)
    {
        var (of, span) = (http.Request.Query["of"].ToString(), http.Request.Query["span"].ToString());
        var seconds = span switch { "" or "1h" => Hour, "2m" => TwoMinutes, _ => 0 };
        var slash = of.IndexOf('/', StringComparison.Ordinal);
        var (kind, name) = slash < 0 ? (of, "") : (of[..slash], of[(slash + 1)..]);
        if (seconds == 0 || kind is not ("pool" or "operation"))
        {
            return SayAsync(http, StatusCodes.Status400BadRequest, "Ask for history?of=pool/NAME or history?of=operation/SERVICE/OPERATION, with span=1h (steps of 10 s) or span=2m (steps of 1 s).");
        }

        var found = dashboard.Recorder.Read((pools, operations, _, second) => kind == "pool"
            ? Read(pools.FirstOrDefault(pool => string.Equals(pool.Name, name, StringComparison.OrdinalIgnoreCase))?.History, second)
            : Read(operations.FirstOrDefault(operation => string.Equals(operation.Record.Operation.FullName, name, StringComparison.OrdinalIgnoreCase))?.History, second));
        if (found is null)
        {
            return SayAsync(http, StatusCodes.Status404NotFound, $"There is no {kind} '{name}', or it was not used since the application started.");
        }

        var names = kind == "pool" ? PoolSeries.Names : OperationSeries.Names;
        return WriteAsync(http, json => RecordWriter.Write(json, dashboard.Recorder.Began, seconds == Hour ? 10 : 1, names, found));

        HistoryPoint[]? Read(History? history, long second) => seconds == Hour ? history?.ReadTens(second) : history?.ReadSeconds(second);
    }
}
