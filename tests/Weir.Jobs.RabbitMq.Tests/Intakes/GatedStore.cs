using Weir.Jobs.Storage;

namespace Weir.Jobs.RabbitMq.Tests.Intakes;

/// <summary>The store of an application, whose commits of new jobs a test holds or lets fail.</summary>
/// <param name="inner">The store.</param>
/// <param name="gate">What the test decides.</param>
internal sealed class GatedStore(IJobStore inner, StoreGate gate) : IJobStore
{
    public string Description => inner.Description;

    public bool IsDurable => inner.IsDurable;

    public async ValueTask CommitAsync(JobBatch batch)
    {
        if (batch.Jobs.Count > 0)
        {
            await gate.PassAsync(batch.Jobs.Count);
        }

        await inner.CommitAsync(batch);
        gate.Committed(batch.Jobs.Count(static job => job is { Existing: null, IsRefused: false }), batch.Jobs.Count(static job => job.Existing is not null));
    }

    public ValueTask<JobStoreContent> OpenAsync(JobReplica replica, CancellationToken cancellationToken) => inner.OpenAsync(replica, cancellationToken);

    public ValueTask<JobRecord?> FindAsync(Guid id, CancellationToken cancellationToken) => inner.FindAsync(id, cancellationToken);

    public ValueTask<NewJob?> FindCallAsync(Guid id, CancellationToken cancellationToken) => inner.FindCallAsync(id, cancellationToken);

    public ValueTask<ReadOnlyMemory<byte>?> ReadResultAsync(Guid id, CancellationToken cancellationToken) => inner.ReadResultAsync(id, cancellationToken);

    public ValueTask<IReadOnlyList<ReadOnlyMemory<byte>>> ReadItemsAsync(Guid id, int run, long from, CancellationToken cancellationToken) => inner.ReadItemsAsync(id, run, from, cancellationToken);

    public ValueTask<IReadOnlyList<JobAttempt>> ReadAttemptsAsync(Guid id, CancellationToken cancellationToken) => inner.ReadAttemptsAsync(id, cancellationToken);

    public ValueTask<IReadOnlyList<JobRecord>> ListAsync(JobQuery query, CancellationToken cancellationToken) => inner.ListAsync(query, cancellationToken);

    public ValueTask<IReadOnlyList<JobCount>> CountAsync(CancellationToken cancellationToken) => inner.CountAsync(cancellationToken);

    public ValueTask<IReadOnlyList<WaitingJobs>> CountWaitingAsync(long most, CancellationToken cancellationToken) => inner.CountWaitingAsync(most, cancellationToken);

    public ValueTask<EndedJobs> ReadEndedAsync(long after, CancellationToken cancellationToken) => inner.ReadEndedAsync(after, cancellationToken);

    public ValueTask<long?> SizeAsync(CancellationToken cancellationToken) => inner.SizeAsync(cancellationToken);

    public ValueTask<IReadOnlyList<ScheduleRecord>> ListSchedulesAsync(CancellationToken cancellationToken) => inner.ListSchedulesAsync(cancellationToken);

    public ValueTask DisposeAsync() => inner.DisposeAsync();
}
