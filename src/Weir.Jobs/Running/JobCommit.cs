using Weir.Jobs.Storage;

namespace Weir.Jobs.Running;

/// <summary>One commit: what the store applies, and who waits for which part of it.</summary>
/// <param name="now">The time of all of it.</param>
internal sealed class JobCommit(DateTimeOffset now)
{
    public JobBatch Batch { get; } = new(now);

    public List<Pending<JobAction>> Actions { get; } = [];

    public List<Pending<NewItems>> Items { get; } = [];

    public List<Pending<Action<JobBatch>>> Writes { get; } = [];

    public List<PendingJobs> Jobs { get; } = [];

    public void Add(List<Pending<JobAction>> actions)
    {
        Actions.AddRange(actions);
        Batch.Actions.AddRange(actions.Select(static pending => pending.What));
    }

    public void Add(List<Pending<NewItems>> items)
    {
        Items.AddRange(items);
        Batch.Items.AddRange(items.Select(static pending => pending.What));
    }

    public void Add(List<Pending<Action<JobBatch>>> writes)
    {
        Writes.AddRange(writes);
        foreach (var write in writes)
        {
            write.What(Batch);
        }
    }
}
