using System.Threading.Channels;
using Weir.Runtime;

namespace Weir.Execution.Pipeline;

/// <summary>Pumps the items of a stream into a bounded channel, typed.</summary>
internal sealed class ChannelPump<T>(StreamCall<T> call, ChannelWriter<T> items) : IStreamPump
{
    public async ValueTask PumpAsync(ItemSource source, CancellationToken cancellationToken)
    {
        while (await source.MoveNextAsync())
        {
            var item = source switch
            {
                AsyncItemSource<T> typed => typed.Current,
                EncodedItemSource encoded => call.ReadItem(encoded.Current.Span),
                _ => throw new InvalidOperationException($"{source.GetType()} has no items of {typeof(T)}."),
            };
            await items.WriteAsync(item, cancellationToken);
        }
    }

    public void Pump(BlockingItemSource source, CancellationToken cancellationToken)
    {
        var typed = (BlockingItemSource<T>)source;
        while (!cancellationToken.IsCancellationRequested && typed.MoveNext())
        {
            if (!items.TryWrite(typed.Current))
            {
                // A thread of the lane may block: that is its purpose.
                items.WriteAsync(typed.Current, cancellationToken).AsTask().GetAwaiter().GetResult();
            }
        }

        cancellationToken.ThrowIfCancellationRequested();
    }
}
