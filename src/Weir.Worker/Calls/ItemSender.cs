using Weir.Runtime;

namespace Weir.Worker.Calls;

/// <summary>Sends the items of one stream, each as soon as it exists and there is credit, and disposes its source.</summary>
internal readonly struct ItemSender(CallExecution run, CallResponse answer)
{
    /// <summary>On return the stream has ended without failure, and the RESULT that reports this is encoded.</summary>
    public async ValueTask SendAllAsync(StreamCall stream)
    {
        if (stream.BlockingSource is { } blocking)
        {
            SendAll(blocking, stream.Context);
        }
        else if (stream.Source is { } source)
        {
            await SendAllAsync(source, stream.Context);
        }
        else
        {
            throw new InvalidOperationException($"{stream.Operation} returned no stream.");
        }

        answer.EncodeNothing(stream.Context);
    }

    private async ValueTask SendAllAsync(ItemSource source, OperationContext? context)
    {
        var token = run.Stop.Token;
        Exception? failure = null;
        try
        {
            while (await source.MoveNextAsync())
            {
                token.ThrowIfCancellationRequested();
                answer.EncodeHead(context);
                source.WriteCurrent(answer.Item);
                await run.Credit!.TakeAsync(answer.Item.Length - answer.HeadLength, token);
                answer.SendItem(run.CallId);
            }
        }
        catch (Exception thrown)
        {
            failure = thrown;
            throw;
        }
        finally
        {
            await run.DisposeAsync(source, failure);
        }
    }

    // On the call's own thread: it may block for the producer and for credit.
    private void SendAll(BlockingItemSource source, OperationContext? context)
    {
        var token = run.Stop.Token;
        Exception? failure = null;
        try
        {
            while (source.MoveNext())
            {
                token.ThrowIfCancellationRequested();
                answer.EncodeHead(context);
                source.WriteCurrent(answer.Item);
                var credit = run.Credit!.TakeAsync(answer.Item.Length - answer.HeadLength, token);
                if (!credit.IsCompletedSuccessfully)
                {
                    credit.AsTask().GetAwaiter().GetResult();
                }

                answer.SendItem(run.CallId);
            }
        }
        catch (Exception thrown)
        {
            failure = thrown;
            throw;
        }
        finally
        {
            run.Dispose(source, failure);
        }
    }
}
