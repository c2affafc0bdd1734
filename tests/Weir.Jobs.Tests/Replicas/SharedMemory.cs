using Weir.Jobs.Rules;
using Weir.Jobs.Storage;
using Weir.Jobs.Tests.Storage;

namespace Weir.Jobs.Tests.Replicas;

/// <summary>One store in memory that several applications of a test share, as processes share a database: each hears what the others do.</summary>
internal sealed class SharedMemory : IAsyncDisposable
{
    private readonly MemoryJobStore _inner = new();
    private readonly Lock _gate = new();
    private readonly List<Replica> _replicas = [];
    private readonly HashSet<string> _paused = new(StringComparer.Ordinal);

    /// <summary>The store of one application.</summary>
    public Replica Join()
    {
        var replica = new Replica(this);
        lock (_gate)
        {
            _replicas.Add(replica);
        }

        return replica;
    }

    public ValueTask DisposeAsync() => _inner.DisposeAsync();

    private void Tell(Replica from, JobBatch batch)
    {
        IJobStoreListener[] others;
        string[] paused;
        lock (_gate)
        {
            others = [.. _replicas.Where(one => one != from).Select(static one => one.Listener).OfType<IJobStoreListener>()];
            foreach (var (kind, isPaused) in batch.Pauses)
            {
                _ = isPaused ? _paused.Add(kind) : _paused.Remove(kind);
            }

            paused = [.. _paused];
        }

        foreach (var other in others)
        {
            Tell(other, batch, paused);
        }
    }

    private static void Tell(IJobStoreListener other, JobBatch batch, string[] paused)
    {
        if (batch.Pauses.Count > 0)
        {
            other.Paused(paused);
        }

        other.Ready([.. batch.ReadyKinds]);
        if (batch.NextDue is { } due)
        {
            other.DueAt(due);
        }

        foreach (var items in batch.Items)
        {
            other.Changed(items.Id, hasEnded: false);
        }

        foreach (var action in batch.Actions.Where(static action => action.Change.Verdict is JobVerdict.Applied or JobVerdict.Late))
        {
            if (action is { Happened: JobEvent.CancelAsked, Change.Status.State: JobState.Running })
            {
                other.Stop([new AttemptId(action.Id, action.Change.Status.Fence)]);
            }

            other.Changed(action.Id, action.Change.Status.HasEnded);
        }
    }

    /// <summary>The store of one application.</summary>
    internal sealed class Replica(SharedMemory shared) : StoreOverMemory(shared._inner), IJobStore
    {
        private readonly List<Guid> _watched = [];

        bool IJobStore.HasManyReplicas => true;

        public IJobStoreListener? Listener { get; private set; }

        public JobReplica? Me { get; private set; }

        public bool HasLeft { get; private set; }

        /// <summary>Commits wait for it.</summary>
        public Task Hold { get; set; } = Task.CompletedTask;

        /// <summary>How many commits wait for it, or did.</summary>
        public int Held { get; private set; }

        public Guid[] Watched
        {
            get
            {
                lock (_watched)
                {
                    return [.. _watched];
                }
            }
        }

        public override async ValueTask CommitAsync(JobBatch batch)
        {
            if (!Hold.IsCompletedSuccessfully)
            {
                Held++;
                await Hold;
            }

            await Inner.CommitAsync(batch);
            shared.Tell(this, batch);
        }

        ValueTask<JobStoreContent> IJobStore.OpenAsync(JobReplica replica, CancellationToken cancellationToken)
        {
            Me = replica;
            return Inner.OpenAsync(replica, cancellationToken);
        }

        // What was ready before it was opened is looked for.
        void IJobStore.Listen(IJobStoreListener listener)
        {
            Listener = listener;
            listener.Ready([.. Me!.Kinds.Select(static kind => kind.Kind)]);
        }

        ValueTask IJobStore.LeaveAsync()
        {
            HasLeft = true;
            return ValueTask.CompletedTask;
        }

        ValueTask IJobStore.WatchAsync(Guid id, CancellationToken cancellationToken)
        {
            lock (_watched)
            {
                _watched.Add(id);
            }

            return ValueTask.CompletedTask;
        }
    }
}
