using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Weir.AspNetCore.Endpoints;
using Weir.Jobs.AspNetCore.Access;
using Weir.Jobs.AspNetCore.Endpoints;

namespace Weir.Jobs.AspNetCore.Admin;

/// <summary>Maps what operators may do: <see cref="IJobs"/> over HTTP.</summary>
internal static class AdminEndpoints
{
    private static readonly string[] Read = [HttpMethods.Get, HttpMethods.Head];

    /// <summary>Maps it.</summary>
    public static void Map(RouteGroupBuilder group, JobsOverHttp jobs)
    {
        var list = new JobLists(jobs);
        Add("", Read, list.JobsAsync);
        Add("/counts", Read, list.CountsAsync);
        Add("/scale", Read, list.ScaleAsync);
        Add("/{id}/state", Read, list.JobAsync);
        Add("/{id}/attempts", Read, list.AttemptsAsync);

        var many = new ManyJobs(jobs);
        Add("/matching", Read, many.CountAsync);
        Add("/retry", [HttpMethods.Post], many.RetryAsync);
        Add("/cancel", [HttpMethods.Post], many.CancelAsync);

        var changes = new JobChanges(jobs);
        Add("/{id}/arguments", Read, changes.ArgumentsAsync);
        Add("/{id}/arguments", [HttpMethods.Put], changes.EditAsync);
        Add("/{id}/retry", [HttpMethods.Post], changes.RetryAsync);
        Add("/{id}", [HttpMethods.Delete], changes.PurgeAsync);

        var kinds = new KindActions(jobs);
        Add("/kinds", Read, kinds.ListAsync);
        Add("/kinds/{**rest}", [HttpMethods.Post], kinds.ActAsync);

        var schedules = new ScheduleActions(jobs);
        Add("/schedules", Read, schedules.ListAsync);
        Add("/schedules/{**rest}", [HttpMethods.Post], schedules.ActAsync);

        void Add(string pattern, string[] verbs, RequestDelegate answer) => group.MapMethods(pattern, verbs, JobRequest.Guard(jobs, answer))
            .WithDisplayName($"Weir jobs: {pattern}")
            .WithMetadata(AdminEndpoint.Instance, new PolicyRequirement(PolicyRequirement.JobsAdmin, "all jobs, and what changes them,", PolicyRule.Always))
            .ExcludeFromDescription();
    }
}
