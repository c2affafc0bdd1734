using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Weir.AspNetCore.Binding;
using Weir.AspNetCore.Problems;
using Weir.Jobs.AspNetCore.Access;
using Weir.Jobs.AspNetCore.Problems;
using Weir.Jobs.AspNetCore.Submitting;
using Weir.Jobs.Storage;

namespace Weir.Jobs.AspNetCore.Endpoints;

/// <summary>The endpoints of one job: the job, its result, its items, and its end. Used concurrently.</summary>
internal sealed class JobEndpoints
{
    private const string Id = "/{id}";
    private static readonly string[] Read = [HttpMethods.Get, HttpMethods.Head];

    private readonly JobsOverHttp _jobs;

    private JobEndpoints(JobsOverHttp jobs) => _jobs = jobs;

    /// <summary>Maps them.</summary>
    public static void Map(RouteGroupBuilder group, JobsOverHttp jobs)
    {
        var endpoints = new JobEndpoints(jobs);
        Add(Id, Read, endpoints.GetAsync).Add(builder => jobs.Services.Path = PathOf((RouteEndpointBuilder)builder));
        Add($"{Id}/result", Read, endpoints.ResultAsync);
        Add($"{Id}/items", Read, endpoints.ItemsAsync);
        Add($"{Id}/cancel", [HttpMethods.Post], endpoints.CancelAsync);

        IEndpointConventionBuilder Add(string pattern, string[] verbs, RequestDelegate answer) =>
            group.MapMethods(pattern, verbs, JobRequest.Guard(jobs, answer)).WithDisplayName($"Weir jobs: {pattern}").ExcludeFromDescription();
    }

    // With the prefixes of all groups.
    private static string PathOf(RouteEndpointBuilder builder)
    {
        var text = builder.RoutePattern.RawText!;
        var path = text[..^Id.Length];
        return path.Contains('{', StringComparison.Ordinal)
            ? throw new InvalidOperationException($"MapWeirJobs is in a group whose path has a parameter, '{text}', and a job is found by its id alone: map it outside of the group.")
            : path.Trim('/') is { Length: > 0 } segments ? $"{new PathString($"/{segments}").ToUriComponent()}/" : "/";
    }

    private async Task GetAsync(HttpContext http)
    {
        if (await FindAsync(http) is not { } job || await WaitAsync(http, job) is not { } now)
        {
            return;
        }

        await _jobs.Json.WriteAsync(http, StatusCodes.Status200OK, now);
    }

    private async Task ResultAsync(HttpContext http)
    {
        if (await FindAsync(http) is not { } job || await WaitAsync(http, job) is not { } now)
        {
            return;
        }

        if (now.Status.HasEnded)
        {
            await _jobs.Results.AnswerAsync(http, now);
            return;
        }

        http.Response.Headers.Location = _jobs.Services.AddressOf(http, now.Id);
        await _jobs.Json.WriteAsync(http, StatusCodes.Status202Accepted, now);
    }

    private async Task ItemsAsync(HttpContext http)
    {
        if (await FindAsync(http) is not { } job)
        {
            return;
        }

        if (_jobs.Services.Engine.Kinds.Find(job.Kind)?.Operation.ResultKind != ResultKind.Stream)
        {
            await ProblemResponse.WriteAsync(http, new Problem(StatusCodes.Status404NotFound, WeirCodes.JobNotFound, $"Job {job.Id} of {job.Kind} has no items: its operation is no stream. Ask for its result."));
            return;
        }

        await _jobs.Results.SendItemsAsync(http, job, http.Request.Headers[LastEventId.Header]);
    }

    private async Task CancelAsync(HttpContext http)
    {
        if (await FindAsync(http) is not { } job)
        {
            return;
        }

        // Owners use the same address; their cancellations are no actions of operators. A refusal is a status before its line is written: hence the guard.
        if (await _jobs.Access.IsOperatorAsync(http, job))
        {
            await OperatorAudit.RunAsync(http, "cancel", $"job {job.Id}", JobRequest.Guard(_jobs, http => CancelAsync(http, job)));
        }
        else
        {
            await CancelAsync(http, job);
        }
    }

    private async Task CancelAsync(HttpContext http, JobRecord job)
    {
        SeenState.Check(http, job);
        if (!job.Status.HasEnded)
        {
            await _jobs.Services.Jobs.CancelAsync(job.Id, http.RequestAborted);
        }

        if (await _jobs.Services.Jobs.FindAsync(job.Id, http.RequestAborted) is not { } now)
        {
            await ProblemResponse.WriteAsync(http, JobProblems.Gone(job.Id, "it was deleted"));
            return;
        }

        await _jobs.Json.WriteAsync(http, now.Status.HasEnded ? StatusCodes.Status200OK : StatusCodes.Status202Accepted, now);
    }

    private async ValueTask<JobRecord?> FindAsync(HttpContext http)
    {
        if (await _jobs.Access.FindAsync(http) is { } job)
        {
            return job;
        }

        await ProblemResponse.WriteAsync(http, JobProblems.NotFound);
        return null;
    }

    // As long as the request prefers. null where the job was deleted: then the answer is written.
    private async ValueTask<JobRecord?> WaitAsync(HttpContext http, JobRecord job)
    {
        if (Preference.Of(http.Request.Headers).Wait is not { } seconds || seconds == 0)
        {
            return job;
        }

        var (now, hasWaited) = await _jobs.Waits.WaitAsync(job, TimeSpan.FromSeconds(seconds), http.RequestAborted);
        if (now is null)
        {
            await ProblemResponse.WriteAsync(http, JobProblems.Gone(job.Id, "it was deleted"));
        }
        else if (hasWaited)
        {
            http.Response.Headers[Preference.AppliedHeader] = $"wait={seconds}";
        }
        else
        {
            http.Response.Headers.RetryAfter = "1";
        }

        return now;
    }
}
