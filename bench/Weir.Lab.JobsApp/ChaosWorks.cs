using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Jobs;

/// <summary>Short jobs in a host that is killed.</summary>
[Service]
public sealed class ChaosWorks
{
    [Job, Idempotent]
    public Task Repeatable(int number) => JobMark.RunAsync(ChaosJobs.Repeatable, number, ChaosJobs.JobTime);

    [Job]
    public Task Plain(int number) => JobMark.RunAsync(ChaosJobs.Plain, number, ChaosJobs.JobTime);
}
