using System.Text;
using Microsoft.AspNetCore.Http;
using Weir.Execution.Observation;
using Weir.Execution.Observation.Records;

namespace Weir.Dashboard.Endpoints;

/// <summary>Answers with what is seen as text: <c>?view=</c> one kind of table, <c>&amp;sort=</c> by what its rows are ordered.</summary>
/// <param name="dashboard">The application.</param>
internal sealed class TextEndpoint(DashboardHost dashboard)
{
    /// <summary>Answers a request.</summary>
    public Task AnswerAsync(HttpContext http)
    {
        if (TablesOf(http.Request.Query["view"].ToString()) is not { } tables)
        {
            return DashboardEndpoints.SayAsync(http, StatusCodes.Status400BadRequest, "view is all, pools, calls, operations or jobs.");
        }

        if (OrderOf(http.Request.Query["sort"].ToString()) is not { } order)
        {
            return DashboardEndpoints.SayAsync(http, StatusCodes.Status400BadRequest, "sort is default, calls, p95 or failed.");
        }

        return DashboardEndpoints.WriteAsync(http, "text/plain; charset=utf-8", Encoding.UTF8.GetBytes(TextView.Write(dashboard.Reader.Read(order), TimeZoneInfo.Local, tables)));
    }

    private static TextTables? TablesOf(string view) => view switch
    {
        "" or "all" => TextTables.All,
        "pools" => TextTables.Pools,
        "calls" => TextTables.Calls,
        "operations" => TextTables.Operations,
        "jobs" => TextTables.Parts,
        _ => null,
    };

    private static RowOrder? OrderOf(string sort) => sort switch
    {
        "" or "default" => RowOrder.Default,
        "calls" => RowOrder.Calls,
        "p95" => RowOrder.P95,
        "failed" => RowOrder.Failed,
        _ => null,
    };
}
