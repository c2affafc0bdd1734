using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Jobs;

/// <summary>The same in workers of one pool.</summary>
[Service, Isolated(JobsApplication.Fair)]
public sealed class FairWorkerWorks
{
    [Job(Key = nameof(tenant))]
    public Task OfTenant(string tenant, int number) => JobMark.RunAsync(tenant, number, FairRounds.JobTime);

    [Job]
    public Task OfMany(int number) => JobMark.RunAsync(FairRounds.Backlog, number, FairRounds.JobTime);

    [Job]
    public Task Single(int number) => JobMark.RunAsync(FairRounds.Single, number, FairRounds.JobTime);
}
