using System.Runtime.CompilerServices;
using Weir;

namespace JobsWorker;

/// <summary>A report that takes a while. When its process is killed, the next start continues it behind the last page that is stored.</summary>
[Service]
public sealed class Reports
{
    [Job, Idempotent, Resumable]
    public async IAsyncEnumerable<string> Build(string tenant, int pages, OperationContext context, long from = 0, [EnumeratorCancellation] CancellationToken ct = default)
    {
        for (var page = from + 1; page <= pages; page++)
        {
            await Task.Delay(100, ct);
            yield return $"{tenant}: page {page} of {pages}, attempt {context.Job?.Attempt}";
        }
    }
}
