using System.Runtime.CompilerServices;
using Weir.Runtime;

namespace Weir.Jobs.Recording;

/// <summary>Where the handles of jobs ask that were submitted in a transaction of the application: until it commits, there is no such job. Any thread.</summary>
/// <param name="jobs">The store.</param>
internal sealed class UncommittedJobs(JobSource jobs) : JobSource
{
    public override async ValueTask<JobInfo?> GetAsync(Guid id, CancellationToken cancellationToken) => await RequireAsync(id, cancellationToken);

    public override async Task<JobInfo> WaitAsync(Guid id, CancellationToken cancellationToken)
    {
        await RequireAsync(id, cancellationToken);
        return await jobs.WaitAsync(id, cancellationToken);
    }

    public override async Task ResultAsync(Guid id, CancellationToken cancellationToken)
    {
        await RequireAsync(id, cancellationToken);
        await jobs.ResultAsync(id, cancellationToken);
    }

    public override async Task<T> ResultAsync<T>(Guid id, CancellationToken cancellationToken)
    {
        await RequireAsync(id, cancellationToken);
        return await jobs.ResultAsync<T>(id, cancellationToken);
    }

    public override async IAsyncEnumerable<T> ItemsAsync<T>(Guid id, long from, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await RequireAsync(id, cancellationToken);
        await foreach (var item in jobs.ItemsAsync<T>(id, from, cancellationToken))
        {
            yield return item;
        }
    }

    public override async ValueTask<JobInfo?> CancelAsync(Guid id, CancellationToken cancellationToken)
    {
        await RequireAsync(id, cancellationToken);
        return await jobs.CancelAsync(id, cancellationToken);
    }

    private async ValueTask<JobInfo> RequireAsync(Guid id, CancellationToken cancellationToken) =>
        await jobs.GetAsync(id, cancellationToken) ?? throw new JobNotCommittedException(id);
}
