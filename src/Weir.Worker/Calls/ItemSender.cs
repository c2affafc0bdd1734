using Weir.Protocol;

namespace Weir.Worker.Calls;

/// <summary>Sends the items of one stream, each at once when it exists and there is credit, and disposes its source.</summary>
internal readonly struct ItemSender(CallRun run, CallEnvironment environment, FrameWriter frames, PayloadWriter item)
{
    /// <summary>On return the frame that ends the stream is open.</summary>
    public async ValueTask SendAllAsync(StreamCall stream)
    {
        if (stream.BlockingSource is { } blocking)
        {
            SendAll(blocking);
        }
        else if (stream.Source is { } source)
        {
            await SendAllAsync(source);
        }
        else
        {
            throw new InvalidOperationException($"{stream.Operation} gave no stream.");
        }

        frames.Begin(FrameType.Result, run.CallId, FrameFlags.NoValue);
    }

    private async ValueTask SendAllAsync(ItemSource source)
    {
        var token = run.Stop.Token;
        Exception? failure = null;
        try
        {
            while (await source.MoveNextAsync())
            {
                token.ThrowIfCancellationRequested();
                source.WriteCurrent(item);
                await run.Credit.TakeAsync(item.Length, token);
                SendOne();
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

    // On a thread of the call's own: it may block for the producer and for credit alike.
    private void SendAll(BlockingItemSource source)
    {
        var token = run.Stop.Token;
        Exception? failure = null;
        try
        {
            while (source.MoveNext())
            {
                token.ThrowIfCancellationRequested();
                source.WriteCurrent(item);
                var credit = run.Credit.TakeAsync(item.Length, token);
                if (!credit.IsCompletedSuccessfully)
                {
                    credit.AsTask().GetAwaiter().GetResult();
                }

                SendOne();
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

    private void SendOne()
    {
        frames.Begin(FrameType.Item, run.CallId);
        frames.Borrow(item.WrittenMemory);
        frames.End();
        environment.Output.Send(frames);
        item.Clear();
    }
}
