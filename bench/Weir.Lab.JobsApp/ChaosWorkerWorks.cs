using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Jobs;

/// <summary>The same in workers that are killed.</summary>
[Service, Isolated(JobsApplication.Chaos)]
public sealed class ChaosWorkerWorks
{
    [Job, Idempotent]
    public Task Repeatable(int number) => JobMark.RunAsync(ChaosJobs.Repeatable, number, ChaosJobs.JobTime);

    [Job]
    public Task Plain(int number) => JobMark.RunAsync(ChaosJobs.Plain, number, ChaosJobs.JobTime);
}
