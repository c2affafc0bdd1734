using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Threading.Channels;
using Microsoft.Extensions.DependencyInjection;
using Weir.Runtime;

namespace Weir.Execution.Pipeline;

/// <summary>The invoker of typed proxies inside the application: each call has its own scope, and waits while a queue is full.</summary>
/// <param name="pipeline">Runs the calls.</param>
/// <param name="scopes">Where the scope of a call comes from whose result is read after it; <c>null</c> where no operation has such a result.</param>
internal sealed class PipelineInvoker(CallPipeline pipeline, IServiceScopeFactory? scopes = null) : CallInvoker
{
    // Items buffered between producer and consumer of a stream: enough to hide the latency of passing them, few enough to stop early.
    private const int ReadAhead = 16;

    public override ValueTask RunAsync(Call call, CancellationToken cancellationToken) => RunAsync(call, Request(cancellationToken));

    public override async IAsyncEnumerable<T> StreamAsync<T>(StreamCall<T> call, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        // 1. The producer runs on its executor and pumps into a bounded channel; when the consumer stops, the token cancels it.
        using var leaving = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var items = Channel.CreateBounded<T>(new BoundedChannelOptions(ReadAhead) { SingleReader = true, SingleWriter = true });
        var producing = ProduceAsync(call, items.Writer, leaving.Token);
        try
        {
            // 2. The consumer takes items at its own pace. The channel's completion carries the producer's failure.
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
            // 3. A consumer that stops early waits until the producer has stopped, so that nothing continues to run unnoticed.
            try
            {
                await leaving.CancelAsync();
            }
            finally
            {
                // Also if a callback of the token threw.
                await producing;
            }
        }
    }

    /// <summary>Runs a call that starts together with the other calls of a group.</summary>
    internal ValueTask RunAsync(Call call, CallGroup group, CancellationToken cancellationToken) =>
        RunAsync(call, Request(cancellationToken) with { Group = group });

    private static CallRequest Request(CancellationToken cancellationToken) => new()
    {
        CancellationToken = cancellationToken,
        Admission = CallAdmission.Wait,
    };

    private ValueTask RunAsync(Call call, in CallRequest request) => call.Operation.ResultKind == ResultKind.Raw && scopes is not null
        ? RunHeldAsync(call, request, scopes)
        : pipeline.RunAsync(call, request);

    // The caller reads the result after the call: its instance and its scope live until the caller disposes the result.
    private async ValueTask RunHeldAsync(Call call, CallRequest request, IServiceScopeFactory scopes)
    {
        var scope = scopes.CreateAsyncScope();
        var resources = new CallResources(call, scope);
        object? result = null;
        try
        {
            await pipeline.RunAsync(call, request with { Services = scope.ServiceProvider, HoldsResult = true });
            result = call.Result switch
            {
                Stream stream => new ResultStream(stream, resources, isHeld: call.Holds(stream)),
                PipeReader reader => new ResultReader(reader, resources),
                _ => null,
            };
        }
        finally
        {
            if (result is null)
            {
                await resources.DisposeAsync();
            }
        }

        if (result is not null)
        {
            call.Result = result;
        }
    }

    private async Task ProduceAsync<T>(StreamCall<T> call, ChannelWriter<T> items, CancellationToken cancellationToken)
    {
        try
        {
            await pipeline.RunStreamAsync(call, new ChannelPump<T>(call, items), Request(cancellationToken));
            items.Complete();
        }
        catch (Exception error)
        {
            // Not swallowed: it is thrown to the consumer when the channel completes.
            items.Complete(error);
        }
    }
}
