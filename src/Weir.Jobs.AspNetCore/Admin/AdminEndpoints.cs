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
        Show("", list.JobsAsync);
        Show("/counts", list.CountsAsync);
        Show("/scale", list.ScaleAsync);
        Show("/{id}/state", list.JobAsync);
        Show("/{id}/attempts", list.AttemptsAsync);

        var many = new ManyJobs(jobs);
        Show("/matching", many.CountAsync);
        Change("/retry", HttpMethods.Post, "retry", "jobs", many.RetryAsync);
        Change("/cancel", HttpMethods.Post, "cancel", "jobs", many.CancelAsync);

        var changes = new JobChanges(jobs);
        Show("/{id}/arguments", changes.ArgumentsAsync);
        Change("/{id}/arguments", HttpMethods.Put, "edit", "job", changes.EditAsync);
        Change("/{id}/retry", HttpMethods.Post, "retry", "job", changes.RetryAsync);
        Change("/{id}", HttpMethods.Delete, "delete", "job", changes.PurgeAsync);

        var kinds = new KindActions(jobs);
        Show("/kinds", kinds.ListAsync);
        Change("/kinds/{**rest}", HttpMethods.Post, null, "kind", kinds.ActAsync);

        var schedules = new ScheduleActions(jobs);
        Show("/schedules", schedules.ListAsync);
        Change("/schedules/{**rest}", HttpMethods.Post, null, "schedule", schedules.ActAsync);

        void Change(string pattern, string verb, string? action, string things, RequestDelegate answer) => Map(pattern, [verb], AdminAudit.Of(action, things, JobRequest.Guard(jobs, answer)));

        void Show(string pattern, RequestDelegate answer) => Map(pattern, Read, JobRequest.Guard(jobs, answer));

        void Map(string pattern, string[] verbs, RequestDelegate answer) => group.MapMethods(pattern, verbs, answer)
            .WithDisplayName($"Weir jobs: {pattern}")
            .WithMetadata(AdminEndpoint.Instance, new PolicyRequirement(PolicyRequirement.JobsAdmin, "all jobs, and what changes them,", PolicyRule.Always))
            .ExcludeFromDescription();
    }
}
