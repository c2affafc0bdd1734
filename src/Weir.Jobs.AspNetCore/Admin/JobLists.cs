using System.Globalization;
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
    private const int MostListed = 1_000;

    /// <summary>Jobs that meet the conditions of the query, the last submitted first.</summary>
    public async Task JobsAsync(HttpContext http)
    {
        var errors = new List<BindingError>();
        var query = QueryOf(http.Request.Query, errors);
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
                jobs.Json.Write(json, http, job);
            }

            json.WriteEndArray();
            JobJson.Text(json, "before", records.Count == query.Limit ? records[^1].Id.ToString() : null);
            json.WriteEndObject();
        });
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

    private static JobQuery QueryOf(IQueryCollection sent, List<BindingError> errors)
    {
        var query = new JobQuery { Kind = Text("kind"), Key = Text("key") };
        if (Text("state") is { } state)
        {
            query = query with { State = StateOf(state) };
            if (query.State is null)
            {
                Refuse("state", $"one of {string.Join(", ", Enum.GetValues<JobState>().Select(static value => JobJson.Word(value)))}");
            }
        }

        if (Text("before") is { } before)
        {
            query = query with { Before = Guid.TryParseExact(before, "D", out var id) ? id : null };
            if (query.Before is null)
            {
                Refuse("before", "the id of a job");
            }
        }

        if (Text("limit") is { } limit)
        {
            query = query with { Limit = int.TryParse(limit, NumberStyles.None, CultureInfo.InvariantCulture, out var most) ? most : 0 };
            if (query.Limit is < 1 or > MostListed)
            {
                Refuse("limit", $"a whole number from 1 to {MostListed}");
            }
        }

        foreach (var name in sent.Keys.Where(static name => name is not ("kind" or "state" or "key" or "before" or "limit")))
        {
            errors.Add(new BindingError(name, "query", BindingErrorReason.Unknown, "kind, state, key, before or limit"));
        }

        return query;

        string? Text(string name)
        {
            if (!sent.TryGetValue(name, out var values))
            {
                return null;
            }

            if (values.Count > 1)
            {
                errors.Add(new BindingError(name, "query", BindingErrorReason.Duplicate, "one value"));
            }

            return values is [{ Length: > 0 } text] ? text : null;
        }

        void Refuse(string name, string expected) => errors.Add(new BindingError(name, "query", BindingErrorReason.Invalid, expected));
    }

    private static JobState? StateOf(string text)
    {
        foreach (var state in Enum.GetValues<JobState>())
        {
            if (JobJson.Word(state).Equals(text, StringComparison.OrdinalIgnoreCase))
            {
                return state;
            }
        }

        return null;
    }
}
