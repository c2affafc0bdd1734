using System.Runtime.CompilerServices;
using Weir;

namespace JobsOnKubernetes;

/// <summary>
/// Reports in worker processes of the runners. Requests for them always become jobs, so the web processes run none. A report whose runner is stopped or lost continues in another one behind its last page: its operation takes <c>from</c>.
/// </summary>
[Service, Isolated("reports")]
public sealed class Reports
{
    [Job(Respond = JobRespond.Always, Key = nameof(tenant)), Idempotent, Resumable]
    public async IAsyncEnumerable<string> Build(string tenant, int pages, OperationContext context, long from = 0, [EnumeratorCancellation] CancellationToken ct = default)
    {
        for (var page = from + 1; page <= pages; page++)
        {
            await Task.Delay(100, ct);
            yield return $"{tenant}: page {page} of {pages}, attempt {context.Job?.Attempt}";
        }
    }

    // A schedule starts a runner where there is none: the autoscaler sees it 30 s before it is due.
    [Job(Respond = JobRespond.Always), Idempotent, Schedule("0 3 * * *", TimeZone = "Europe/Berlin")]
    public async Task<string> Day(OperationContext context, CancellationToken ct = default)
    {
        await Task.Delay(100, ct);
        return $"the report of {context.Job?.ScheduledFor:yyyy-MM-dd}";
    }
}
