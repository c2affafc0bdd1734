using System.Runtime.CompilerServices;
using System.Threading.Channels;
using Weir.Runtime;

namespace Weir.Execution.Pipeline;

/// <summary>What typed proxies stand on inside the application: each call in a scope of its own, waiting for room.</summary>
internal sealed class PipelineInvoker(CallPipeline pipeline) : CallInvoker
{
    // Items between producer and consumer of a stream that is pumped: enough to hide the hand-over, few enough to stop early.
    private const int ReadAhead = 16;

    public override ValueTask RunAsync(Call call, CancellationToken cancellationToken) =>
        pipeline.RunAsync(call, Request(cancellationToken));

    public override async IAsyncEnumerable<T> StreamAsync<T>(StreamCall<T> call, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        // 1. The producer runs in its place and pumps into a bounded channel; a consumer who stops ends it by the token.
        using var leaving = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var items = Channel.CreateBounded<T>(new BoundedChannelOptions(ReadAhead) { SingleReader = true, SingleWriter = true });
        var producing = ProduceAsync(call, items.Writer, leaving.Token);
        try
        {
            // 2. The consumer takes items at its own pace. The channel's end carries the producer's failure.
            while (await items.Reader.WaitToReadAsync(CancellationToken.None))
            {
                while (items.Reader.TryRead(out var item))
                {
                    yield return item;
                }
            }
        }
        finally
        {
            // 3. Whoever leaves early waits until the producer has stopped: nothing runs on behind its back.
            try
            {
                await leaving.CancelAsync();
            }
            finally
            {
                // Also where somebody who listens to the token threw.
                await producing;
            }
        }
    }

    /// <summary>Runs a call that starts together with others.</summary>
    internal ValueTask RunAsync(Call call, CallGroup group, CancellationToken cancellationToken) =>
        pipeline.RunAsync(call, Request(cancellationToken) with { Group = group });

    private static CallRequest Request(CancellationToken cancellationToken) => new()
    {
        CancellationToken = cancellationToken,
        WaitsForRoom = true,
    };

    private async Task ProduceAsync<T>(StreamCall<T> call, ChannelWriter<T> items, CancellationToken cancellationToken)
    {
        try
        {
            await pipeline.RunStreamAsync(call, new ChannelPump<T>(call, items), Request(cancellationToken));
            items.Complete();
        }
        catch (Exception error)
        {
            // Not swallowed: the consumer throws it at the channel's end.
            items.Complete(error);
        }
    }
}
