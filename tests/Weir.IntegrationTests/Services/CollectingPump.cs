using System.Text;
using Weir.Runtime;

namespace Weir.IntegrationTests.Services;

/// <summary>Takes all items of a stream as JSON texts, and may do something after each.</summary>
internal sealed class CollectingPump(Func<int, CancellationToken, Task>? afterItem = null) : IStreamPump
{
    internal List<string> Items { get; } = [];

    public async ValueTask PumpAsync(ItemSource source, CancellationToken cancellationToken)
    {
        using var item = new PayloadWriter();
        while (await source.MoveNextAsync())
        {
            item.Clear();
            source.WriteCurrent(item);
            Items.Add(Encoding.UTF8.GetString(item.WrittenSpan));
            if (afterItem is not null)
            {
                await afterItem(Items.Count, cancellationToken);
            }
        }
    }

    public void Pump(BlockingItemSource source, CancellationToken cancellationToken)
    {
        using var item = new PayloadWriter();
        while (source.MoveNext())
        {
            item.Clear();
            source.WriteCurrent(item);
            Items.Add(Encoding.UTF8.GetString(item.WrittenSpan));
            afterItem?.Invoke(Items.Count, cancellationToken).GetAwaiter().GetResult();
        }
    }
}
