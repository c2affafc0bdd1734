using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Problems;
using Weir.Jobs.AspNetCore.Answers;
using Weir.Jobs.AspNetCore.Endpoints;
using Weir.Jobs.AspNetCore.Problems;

namespace Weir.Jobs.AspNetCore.Admin;

/// <summary>Shows schedules, pauses and resumes them, and runs one by hand. Used concurrently.</summary>
/// <param name="jobs">The parts of the endpoints.</param>
internal sealed class ScheduleActions(JobsOverHttp jobs)
{
    /// <summary>All of them, also those that no process declares now.</summary>
    public async Task ListAsync(HttpContext http)
    {
        var schedules = await jobs.Services.Jobs.Schedules.ListAsync(http.RequestAborted);
        await JobJson.WriteListAsync(http, "schedules", schedules, Write);
    }

    /// <summary>Pauses, resumes or runs one.</summary>
    public async Task ActAsync(HttpContext http)
    {
        if (!NamedAction.TryRead(http, out var asked) || asked.Action is not ("pause" or "resume" or "run") || await FindAsync(http, asked.Name) is not { } schedule
            || (asked.Action == "run" && !schedule.IsDeclared))
        {
            await ProblemResponse.WriteAsync(http, new Problem(
                StatusCodes.Status404NotFound, WeirCodes.JobNotFound, "The path must end in {name}/pause, {name}/resume or {name}/run, with the name of a schedule; one that no process declares cannot be run."));
            return;
        }

        var schedules = jobs.Services.Jobs.Schedules;
        if (asked.Action == "run")
        {
            var job = await schedules.RunAsync(schedule.Name, http.RequestAborted);
            var record = await jobs.Services.Jobs.FindAsync(job.Id, http.RequestAborted);
            http.Response.Headers.Location = jobs.Services.AddressOf(http, job.Id);
            await (record is null ? ProblemResponse.WriteAsync(http, JobProblems.Gone(job.Id, "it was deleted")) : jobs.Json.WriteAsync(http, StatusCodes.Status202Accepted, record));
            return;
        }

        await (asked.Action == "pause" ? schedules.PauseAsync(schedule.Name, http.RequestAborted) : schedules.ResumeAsync(schedule.Name, http.RequestAborted));
        var now = await FindAsync(http, schedule.Name) ?? schedule;
        await JobJson.WriteAsync(http, StatusCodes.Status200OK, json => Write(json, now));
    }

    private async ValueTask<JobSchedule?> FindAsync(HttpContext http, string name) =>
        (await jobs.Services.Jobs.Schedules.ListAsync(http.RequestAborted)).FirstOrDefault(schedule => schedule.Name.Equals(name, StringComparison.OrdinalIgnoreCase));

    private static void Write(Utf8JsonWriter json, JobSchedule schedule)
    {
        json.WriteStartObject();
        json.WriteString("name"u8, schedule.Name);
        json.WriteString("kind"u8, schedule.Kind);
        json.WriteString("cron"u8, schedule.Cron);
        json.WriteString("timeZone"u8, schedule.TimeZone);
        json.WriteString("source"u8, JobJson.Word(schedule.Source));
        JobJson.Time(json, "next", schedule.Next);
        JobJson.Time(json, "lastDue", schedule.LastDue);
        JobJson.Text(json, "lastJob", schedule.LastJob?.ToString());
        json.WriteBoolean("isPaused"u8, schedule.IsPaused);
        json.WriteBoolean("isDeclared"u8, schedule.IsDeclared);
        JobJson.Text(json, "error", schedule.Error);
        json.WriteEndObject();
    }
}
