namespace Weir.Lab.Jobs;

/// <summary>The same in a worker.</summary>
[Service, Isolated(JobsApplication.Items)]
public sealed class ItemWorkerWorks
{
    [Job, Idempotent, Resumable]
    public IAsyncEnumerable<StampedItem> Stamped(int count, int interval, long from = 0, CancellationToken ct = default) => ItemWorks.StampAsync(count, interval, from, ct);
}
