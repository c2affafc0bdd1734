using System.Runtime.CompilerServices;
using Weir;

namespace Showcase;

/// <summary>A report that is built page by page in a worker process, as a durable job: it continues where it was when its worker, or the whole showcase, is gone.</summary>
[Service, Isolated(Pools.Reports)]
public sealed class Reports
{
    /// <summary>A page each <paramref name="delay"/> ms. A later attempt begins behind the last page that is stored.</summary>
    [Job, Idempotent, Resumable]
    public async IAsyncEnumerable<ReportPage> Build(OperationContext context, int pages = 40, int delay = 100, long from = 0, [EnumeratorCancellation] CancellationToken ct = default)
    {
        Require.NotNegative(pages);
        Require.NotNegative(delay);
        for (var number = from + 1; number <= pages; number++)
        {
            await Task.Delay(delay, ct);
            context.Job?.Report((double)number / pages, $"page {number} of {pages}");
            yield return new ReportPage(number, context.Job?.Attempt ?? 1, Environment.ProcessId);
        }
    }

    /// <summary>Kills the worker in which all reports are built. This call fails with it; the jobs continue in the next one.</summary>
    public void Crash() => Crashes.Run(CrashKind.FailFast);
}

/// <summary>One page of a report.</summary>
/// <param name="Number">Counts from 1.</param>
/// <param name="Attempt">In which attempt of the job it was made.</param>
/// <param name="Pid">By which process.</param>
public sealed record ReportPage(long Number, int Attempt, int Pid);
