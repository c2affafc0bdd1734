using System.Runtime.CompilerServices;
using Weir;

namespace Jobs;

/// <summary>
/// A report in a process of its own, as a stream: each page is stored when it is made. When its worker or its host is gone, the next attempt continues behind the last page that is stored, because the
/// operation takes <c>from</c>. The tenants take turns: a thousand reports of one delay those of another by one place.
/// </summary>
[Service, Isolated("reports")]
public sealed class Reports
{
    [Job(Timeout = "06:00:00", Key = nameof(tenant)), Idempotent, Resumable]
    public async IAsyncEnumerable<string> Build(string tenant, int pages, OperationContext context, long from = 0, [EnumeratorCancellation] CancellationToken ct = default)
    {
        for (var page = from + 1; page <= pages; page++)
        {
            // A defect of the first attempt, as an example: its process ends, and the second one continues.
            if (page == 3 && tenant == "unlucky" && context.Job?.Attempt == 1)
            {
                await Task.Delay(500, ct);
                Environment.FailFast("the report is broken");
            }

            await Task.Delay(20, ct);
            yield return $"{tenant}: page {page} of {pages}, attempt {context.Job?.Attempt}";
        }
    }
}
