using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Jobs;

/// <summary>The same in workers.</summary>
[Service, Isolated(JobsApplication.Chaos)]
public sealed class CancelWorkerWorks
{
    [Job]
    public Task Mark(int number, CancellationToken ct) => JobMark.RunAsync(CancelMarks.Worker, number, CancelMarks.JobTime, CancelMarks.CleanUp, ct);
}
