using Weir.Jobs.Storage;
using Weir.Jobs.Tests.Storage;

namespace Weir.Jobs.Tests.Http;

/// <summary>A store in memory that fails while a test says so.</summary>
internal sealed class UnluckyStore : StoreOverMemory
{
    /// <summary>What a commit throws that accepts jobs.</summary>
    public JobStoreException? Failure { get; set; }

    /// <summary>Whether it has applied everything before.</summary>
    public bool AppliesBeforeFailing { get; set; }

    /// <summary>What a question for a job throws.</summary>
    public JobStoreException? ReadFailure { get; set; }

    /// <summary>What a question for a result throws.</summary>
    public JobStoreException? ReadResultFailure { get; set; }

    /// <summary>The result of every job; <c>null</c> for its own.</summary>
    public byte[]? Result { get; set; }

    /// <summary>The kind of every job; <c>null</c> for its own.</summary>
    public string? Kind { get; set; }

    /// <summary>What every question for a job waits for.</summary>
    public Task Reads { get; set; } = Task.CompletedTask;

    /// <summary>Ends a job and deletes it, or begins it again, before any reader of it sees that it had ended.</summary>
    public async Task DeleteUnseenAsync(HttpHost host, Guid id, bool retries = false)
    {
        var reads = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Reads = reads.Task;
        var cancelling = host.Jobs.CancelAsync(id).AsTask();
        await HttpHost.UntilAsync(async () => (await host.Jobs.ListAsync()).Any(job => job.Id == id && job.State == JobState.Cancelled));
        if (retries)
        {
            await host.Jobs.RetryAsync(id);
        }
        else
        {
            await host.Jobs.PurgeAsync(id);
        }

        Reads = Task.CompletedTask;
        reads.SetResult();
        await cancelling;
    }

    public override async ValueTask CommitAsync(JobBatch batch)
    {
        var failure = batch.Jobs.Count > 0 ? Failure : null;
        if (failure is null || AppliesBeforeFailing)
        {
            await Inner.CommitAsync(batch);
        }

        if (failure is not null)
        {
            throw failure;
        }
    }

    public override async ValueTask<JobRecord?> FindAsync(Guid id, CancellationToken cancellationToken)
    {
        await Reads.WaitAsync(cancellationToken);
        return ReadFailure is { } failure ? throw failure : await base.FindAsync(id, cancellationToken) is { } job ? job with { Kind = Kind ?? job.Kind } : null;
    }

    public override ValueTask<ReadOnlyMemory<byte>?> ReadResultAsync(Guid id, CancellationToken cancellationToken) =>
        ReadResultFailure is { } failure ? ValueTask.FromException<ReadOnlyMemory<byte>?>(failure) : Result is { } result ? new(result) : base.ReadResultAsync(id, cancellationToken);
}
