using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Authorization.Policy;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Weir.AspNetCore.Endpoints;
using Weir.Dashboard.Streaming;
using Weir.Execution.Observation.Records;

namespace Weir.Dashboard.Endpoints;

/// <summary>Says to a viewer who answers, what the viewer may do, and where other parts of the application are. What one may do is decided again by each action.</summary>
/// <param name="dashboard">The application.</param>
/// <param name="options">What it was set to.</param>
internal sealed class Greeting(DashboardHost dashboard, WeirDashboardOptions options)
{
    private static readonly string Version = typeof(Greeting).Assembly.GetName().Version!.ToString(3);

    /// <summary>Answers a request.</summary>
    public async Task AnswerAsync(HttpContext http) => await DashboardEndpoints.WriteAsync(http, "application/json; charset=utf-8", await ReadAsync(http, dashboard.Runtime.Workers.Timeline.Count));

    /// <summary>Makes it, as JSON in one line.</summary>
    /// <param name="http">The request of a viewer.</param>
    /// <param name="events">How many events of workers there were before it.</param>
    public async Task<ReadOnlyMemory<byte>> ReadAsync(HttpContext http, long events)
    {
        var mayAct = await MayActAsync(http);
        return JsonBytes.Of(json =>
        {
            json.WriteStartObject();
            json.WriteNumber("schema", RecordWriter.Schema);
            json.WriteString("application", dashboard.Name);
            json.WriteString("instance", Environment.MachineName);
            json.WriteString("version", Version);
            json.WriteNumber("events", events);
            json.WriteBoolean("mayAct", mayAct);
            json.WriteBoolean("showsCallers", options.ShowCallers);
            if (options.TraceUrl is { } trace)
            {
                json.WriteString("traceUrl", trace);
            }

            if (AddressOfJobs(http) is { } jobs)
            {
                json.WriteString("jobs", jobs);
            }

            json.WriteEndObject();
        });
    }

    // As the authorization of an action decides it, with the schemes of its policy.
    private async Task<bool> MayActAsync(HttpContext http)
    {
        if (options.ActionPolicy is not { } name || await http.RequestServices.GetRequiredService<IAuthorizationPolicyProvider>().GetPolicyAsync(name) is not { } policy)
        {
            return false;
        }

        var evaluator = http.RequestServices.GetRequiredService<IPolicyEvaluator>();
        return (await evaluator.AuthorizeAsync(policy, await evaluator.AuthenticateAsync(policy, http), http, http)).Succeeded;
    }

    private string? AddressOfJobs(HttpContext http) =>
        http.GetEndpoint() is RouteEndpoint { RoutePattern.RawText: { } here } && PatternOfJobs() is { } there ? Relative(here.Trim('/').Split('/'), there.Trim('/').Split('/')) : null;

    // As all addresses of the page: a path base, a group and a proxy that strips a prefix change nothing.
    private static string Relative(string[] from, string[] to)
    {
        var common = from.Zip(to).TakeWhile(static pair => pair.First == pair.Second).Count();
        return string.Concat(Enumerable.Repeat("../", from.Length - 1 - common)) + string.Join('/', to[common..]);
    }

    private string? PatternOfJobs() => dashboard.Endpoints
        .OfType<RouteEndpoint>()
        .Where(static endpoint => endpoint.Metadata.GetMetadata<PolicyRequirement>()?.Map == PolicyRequirement.JobsAdmin)
        .Select(static endpoint => endpoint.RoutePattern.RawText)
        .MinBy(static pattern => pattern?.Length);
}
