using Microsoft.AspNetCore.Http;
using Weir.Server.Binding;
using Weir.Server.Errors;
using Weir.Server.Formatting;
using Weir.Server.Hosting;

namespace Weir.Server.Streaming;

/// <summary>Runs the calls of one streaming operation and gives each stream exactly one ending.</summary>
internal sealed class StreamAnswer(HttpDoor door, Operation operation)
{
    /// <summary>Runs a call whose arguments are bound, and answers.</summary>
    /// <param name="http">The request.</param>
    /// <param name="format">How the items are framed.</param>
    /// <param name="call">Its arguments are bound.</param>
    /// <param name="lent">What holds the body that the operation reads; <c>null</c> where it reads none.</param>
    /// <param name="limit">How long the caller waits.</param>
    internal async Task RunAsync(HttpContext http, IStreamFormat format, StreamCall call, CallBuffers? lent, TimeSpan? limit)
    {
        var output = new HttpStreamOutput(http, call, format.ContentType);
        if (HttpMethods.IsHead(http.Request.Method))
        {
            // The headers of a stream are known without running its producer, which may never end.
            output.Commit();
            return;
        }

        // 1. Whoever leaves is noted at once: the log says how long the producer took to stop.
        var leaving = new LeavingCaller(door.Streams);
        var left = http.RequestAborted;
        await using var registration = left.UnsafeRegister(static state => ((LeavingCaller)state!).Note(), leaving);
        await using var stream = new ResponseStream(format, output, operation.Flush, door.Streams, door.Ticker);
        try
        {
            // 2. Items leave as they arise; this ends after the producer was disposed.
            stream.Open();
            var services = HttpDoor.MayNeedNoServices(operation) ? new RequestServices().Attach(http) : http.RequestServices;
            await door.Pipeline.RunStreamAsync(call, stream, HttpDoor.Request(http, services, ResultEncoding.Json, limit));

            // 3. The ending.
            if (HasLeft())
            {
                throw new OperationCanceledException(left);
            }

            await stream.CompleteAsync();
        }
        catch (Exception error) when (HasLeft() || HttpDoor.HasLeft(http, error))
        {
            lent?.Abandon();
            await stream.CloseAsync();
            LogStop(stream, leaving, error);
        }
        catch (Exception error)
        {
            lent?.Abandon();
            await FailAsync(http, stream, error);
        }

        // An aborted reader is gone before its token has fired.
        bool HasLeft() => left.IsCancellationRequested || stream.IsStalled;
    }

    private async Task FailAsync(HttpContext http, ResponseStream stream, Exception error)
    {
        var problem = ProblemReport.Of(ProblemMapping.From(error, door.Options.IncludeExceptionDetails), http);
        if (!await stream.TryFailAsync(problem))
        {
            await door.FailAsync(http, operation, error);
        }
        else if (ProblemMapping.IsFailure(error))
        {
            door.Log.OperationFailed(error, operation.FullName);
        }
    }

    private void LogStop(ResponseStream stream, LeavingCaller leaving, Exception error)
    {
        if (stream.IsStalled)
        {
            door.Log.ReaderStalled(operation.FullName, stream.Sent, door.Options.ReaderStallTimeout.GetValueOrDefault());
        }
        else
        {
            door.Log.StreamStopped(operation.FullName, stream.Sent, leaving.SinceThen().TotalMilliseconds);
        }

        if (error is not OperationCanceledException && ProblemMapping.IsFailure(error))
        {
            door.Log.OperationFailed(error, operation.FullName);
        }
    }
}
