using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Storage;

/// <summary>A store in memory that says it is durable, and whose commits a test changes.</summary>
/// <param name="inner">Has the jobs; <c>null</c> for a new one.</param>
internal abstract class StoreOverMemory(MemoryJobStore? inner = null) : IJobStore
{
    private protected MemoryJobStore Inner { get; } = inner ?? new();

    public string Description => Inner.Description;

    public bool IsDurable => true;

    public abstract ValueTask CommitAsync(JobBatch batch);

    public ValueTask<JobStoreContent> OpenAsync(JobReplica replica, CancellationToken cancellationToken) => Inner.OpenAsync(replica, cancellationToken);

    public virtual ValueTask<JobRecord?> FindAsync(Guid id, CancellationToken cancellationToken) => Inner.FindAsync(id, cancellationToken);

    public ValueTask<NewJob?> FindCallAsync(Guid id, CancellationToken cancellationToken) => Inner.FindCallAsync(id, cancellationToken);

    public virtual ValueTask<ReadOnlyMemory<byte>?> ReadResultAsync(Guid id, CancellationToken cancellationToken) => Inner.ReadResultAsync(id, cancellationToken);

    public ValueTask<IReadOnlyList<ReadOnlyMemory<byte>>> ReadItemsAsync(Guid id, int run, long from, CancellationToken cancellationToken) => Inner.ReadItemsAsync(id, run, from, cancellationToken);

    public ValueTask<IReadOnlyList<JobAttempt>> ReadAttemptsAsync(Guid id, CancellationToken cancellationToken) => Inner.ReadAttemptsAsync(id, cancellationToken);

    public ValueTask<IReadOnlyList<JobRecord>> ListAsync(JobQuery query, CancellationToken cancellationToken) => Inner.ListAsync(query, cancellationToken);

    public ValueTask<IReadOnlyList<JobCount>> CountAsync(CancellationToken cancellationToken) => Inner.CountAsync(cancellationToken);

    public ValueTask<IReadOnlyList<WaitingJobs>> CountWaitingAsync(long most, CancellationToken cancellationToken) => Inner.CountWaitingAsync(most, cancellationToken);

    public ValueTask<EndedJobs> ReadEndedAsync(long after, CancellationToken cancellationToken) => Inner.ReadEndedAsync(after, cancellationToken);

    public ValueTask<long?> SizeAsync(CancellationToken cancellationToken) => Inner.SizeAsync(cancellationToken);

    public ValueTask<IReadOnlyList<ScheduleRecord>> ListSchedulesAsync(CancellationToken cancellationToken) => Inner.ListSchedulesAsync(cancellationToken);

    public ValueTask DisposeAsync() => Inner.DisposeAsync();
}
