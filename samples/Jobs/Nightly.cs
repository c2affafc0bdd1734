using Weir;

namespace Jobs;

/// <summary>
/// At three every night in Berlin: submits the report of each tenant. Each occurrence is one job. It is <c>[Idempotent]</c>, because the key of a report is made of its tenant and the night: a second attempt
/// finds the reports that the first one has submitted.
/// </summary>
[Service]
public sealed class Nightly(IJobs<IReportsClient> reports)
{
    private static readonly string[] Tenants = ["acme", "globex"];

    [Job, Idempotent, Schedule("0 3 * * *", TimeZone = "Europe/Berlin", MisfireWindow = "06:00:00")]
    public async Task<Guid[]> Submit(OperationContext context, CancellationToken ct = default)
    {
        // When it was due, however late it is, and also in a later attempt.
        var night = context.Job?.ScheduledFor ?? DateTimeOffset.UtcNow;
        var submitted = new List<Guid>();
        foreach (var tenant in Tenants)
        {
            var job = await reports.EnqueueAsync(
                r => r.Build(tenant, 2), new JobOptions { Priority = JobPriority.Low, IdempotencyKey = $"nightly-{tenant}-{night:yyyy-MM-dd}" }, ct);
            submitted.Add(job.Id);
        }

        return [.. submitted];
    }
}
