using System.Runtime.CompilerServices;
using Weir.Lab.Measuring;

namespace Weir.Lab.Jobs;

/// <summary>Streams that continue where they were stopped, for readers over HTTP that are cut.</summary>
[Service]
public sealed class ItemWorks
{
    // As many as are stored at once.
    private const int Part = 64;

    /// <summary>An item every <paramref name="interval"/> ms.</summary>
    [Job, Idempotent, Resumable]
    public IAsyncEnumerable<StampedItem> Stamped(int count, int interval, long from = 0, CancellationToken ct = default) => StampAsync(count, interval, from, ct);

    /// <summary>Numbers, as fast as they are stored.</summary>
    [Job, Idempotent, Resumable]
    public async IAsyncEnumerable<long> Numbers(int count, long from = 0, [EnumeratorCancellation] CancellationToken ct = default)
    {
        for (var index = from; index < count; index++)
        {
            if (index % Part == 0)
            {
                ct.ThrowIfCancellationRequested();
                await Task.Yield();
            }

            yield return index;
        }
    }

    internal static async IAsyncEnumerable<StampedItem> StampAsync(int count, int interval, long from, [EnumeratorCancellation] CancellationToken ct)
    {
        for (var index = from; index < count; index++)
        {
            await Task.Delay(interval, ct);
            yield return new StampedItem(index, Clock.Now);
        }
    }
}
