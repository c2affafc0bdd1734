using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Problems;
using Weir.Jobs.AspNetCore.Answers;
using Weir.Jobs.AspNetCore.Endpoints;

namespace Weir.Jobs.AspNetCore.Admin;

/// <summary>Shows kinds of jobs, and pauses and resumes them. Used concurrently.</summary>
/// <param name="jobs">The parts of the endpoints.</param>
internal sealed class KindActions(JobsOverHttp jobs)
{
    /// <summary>All kinds that this process has operations of.</summary>
    public async Task ListAsync(HttpContext http)
    {
        var kinds = await jobs.Services.Jobs.KindsAsync(http.RequestAborted);
        await JobJson.WriteListAsync(http, "kinds", kinds, Write);
    }

    /// <summary>Pauses or resumes one.</summary>
    public async Task ActAsync(HttpContext http)
    {
        if (!NamedAction.TryRead(http, out var asked) || asked.Action is not ("pause" or "resume") || await FindAsync(http, asked.Name) is null)
        {
            await ProblemResponse.WriteAsync(http, new Problem(
                StatusCodes.Status404NotFound, WeirCodes.JobNotFound, $"The path must end in {{kind}}/pause or {{kind}}/resume, with a kind of this application: {string.Join(", ", jobs.Services.Engine.Kinds.All.Select(static kind => kind.Name).Order(StringComparer.Ordinal))}."));
            return;
        }

        await (asked.Action == "pause" ? jobs.Services.Jobs.PauseAsync(asked.Name, http.RequestAborted) : jobs.Services.Jobs.ResumeAsync(asked.Name, http.RequestAborted));
        var now = await FindAsync(http, asked.Name);
        await JobJson.WriteAsync(http, StatusCodes.Status200OK, json => Write(json, now!));
    }

    private async ValueTask<JobKindInfo?> FindAsync(HttpContext http, string name) =>
        (await jobs.Services.Jobs.KindsAsync(http.RequestAborted)).FirstOrDefault(kind => kind.Name.Equals(name, StringComparison.OrdinalIgnoreCase));

    private static void Write(Utf8JsonWriter json, JobKindInfo kind)
    {
        json.WriteStartObject();
        json.WriteString("name"u8, kind.Name);
        json.WriteBoolean("isPaused"u8, kind.IsPaused);
        json.WriteNumber("running"u8, kind.Running);
        json.WriteEndObject();
    }
}
