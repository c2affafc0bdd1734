using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Problems;
using Weir.Jobs.AspNetCore.Answers;
using Weir.Jobs.AspNetCore.Endpoints;
using Weir.Jobs.AspNetCore.Problems;

namespace Weir.Jobs.AspNetCore.Admin;

/// <summary>Shows jobs, how many there are, and their attempts. Used concurrently.</summary>
/// <param name="jobs">The parts of the endpoints.</param>
internal sealed class JobLists(JobsOverHttp jobs)
{
    /// <summary>Jobs that meet the conditions of the query, the last submitted first.</summary>
    public async Task JobsAsync(HttpContext http)
    {
        var errors = new List<BindingError>();
        var query = JobFilter.Read(http.Request.Query, errors, JobFilter.Page);
        if (errors.Count > 0)
        {
            throw new BindingException(errors);
        }

        var records = await jobs.Services.Jobs.ListRecordsAsync(query, http.RequestAborted);
        await JobJson.WriteAsync(http, StatusCodes.Status200OK, json =>
        {
            json.WriteStartObject();
            json.WriteStartArray("jobs"u8);
            foreach (var job in records)
            {
                jobs.Json.Write(json, http, job, forOperators: true);
            }

            json.WriteEndArray();
            JobJson.Text(json, "before", records.Count == query.Limit ? records[^1].Id.ToString() : null);
            json.WriteEndObject();
        });
    }

    /// <summary>One job, also where <c>MapWeirJobs</c> does not serve it, with what went wrong the last time.</summary>
    public async Task JobAsync(HttpContext http)
    {
        if (await jobs.Access.FindForAdminAsync(http) is not { } job)
        {
            await ProblemResponse.WriteAsync(http, JobProblems.NotFound);
            return;
        }

        await JobJson.WriteAsync(http, StatusCodes.Status200OK, json => jobs.Json.Write(json, http, job, forOperators: true));
    }

    /// <summary>How many jobs there are by kind and state.</summary>
    public async Task CountsAsync(HttpContext http)
    {
        var counts = await jobs.Services.Jobs.CountsAsync(http.RequestAborted);
        await JobJson.WriteListAsync(http, "counts", counts, static (json, count) =>
        {
            json.WriteStartObject();
            json.WriteString("kind"u8, count.Kind);
            json.WriteString("state"u8, JobJson.Word(count.State));
            json.WriteNumber("count"u8, count.Count);
            json.WriteEndObject();
        });
    }

    /// <summary>What an autoscaler asks: how many jobs this process runs at once, how many it runs, and how many are ready for any process.</summary>
    public async Task ScaleAsync(HttpContext http)
    {
        var engine = jobs.Services.Engine;
        var demand = await engine.DemandAsync(http.RequestAborted);
        await JobJson.WriteAsync(http, StatusCodes.Status200OK, json =>
        {
            json.WriteStartObject();
            json.WriteNumber("slots"u8, engine.Slots);
            json.WriteNumber("running"u8, demand.Running);
            json.WriteNumber("ready"u8, demand.Ready);
            json.WriteEndObject();
        });
    }

    /// <summary>The attempts of a job that ended without success.</summary>
    public async Task AttemptsAsync(HttpContext http)
    {
        if (await jobs.Access.FindForAdminAsync(http) is not { } job)
        {
            await ProblemResponse.WriteAsync(http, JobProblems.NotFound);
            return;
        }

        var attempts = await jobs.Services.Jobs.AttemptsAsync(job.Id, http.RequestAborted);
        await JobJson.WriteListAsync(http, "attempts", attempts, Write);
    }

    private static void Write(Utf8JsonWriter json, JobAttemptInfo attempt)
    {
        json.WriteStartObject();
        json.WriteNumber("fence"u8, attempt.Fence);
        json.WriteString("started"u8, attempt.Started);
        json.WriteString("ended"u8, attempt.Ended);
        json.WriteString("outcome"u8, attempt.Outcome);
        if (attempt.Arguments is { } arguments)
        {
            json.WritePropertyName("arguments"u8);
            json.WriteRawValue(arguments);
        }
        else
        {
            json.WriteNull("arguments"u8);
        }

        JobJson.Text(json, "exceptionType", attempt.ExceptionType);
        JobJson.Text(json, "message", attempt.Message);
        JobJson.Text(json, "stackTrace", attempt.StackTrace);
        JobJson.Text(json, "reportId", attempt.ReportId);
        JobJson.Text(json, "report", attempt.Report);
        json.WriteEndObject();
    }
}
