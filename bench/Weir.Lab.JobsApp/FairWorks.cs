using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Jobs;

/// <summary>Short jobs of tenants and of two kinds, which write down that they begin.</summary>
[Service]
public sealed class FairWorks
{
    [Job(Key = nameof(tenant))]
    public Task OfTenant(string tenant, int number) => JobMark.RunAsync(tenant, number, FairRounds.JobTime);

    [Job]
    public Task OfMany(int number) => JobMark.RunAsync(FairRounds.Backlog, number, FairRounds.JobTime);

    [Job]
    public Task Single(int number) => JobMark.RunAsync(FairRounds.Single, number, FairRounds.JobTime);
}
