using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Binding;
using Weir.AspNetCore.Endpoints;
using Weir.AspNetCore.Formatting;
using Weir.AspNetCore.Http;
using Weir.AspNetCore.Problems;
using Weir.AspNetCore.RequestStreams;
using Weir.AspNetCore.Streaming;
using Weir.Runtime;

namespace Weir.AspNetCore.Responses;

/// <summary>Runs the calls of one streaming operation and ends each stream exactly once.</summary>
/// <param name="shared">What all endpoints share.</param>
/// <param name="operation">The operation.</param>
/// <param name="isNegotiated">Whether <c>Accept</c> chooses the format, which caches must know.</param>
/// <param name="from">The argument that is the index of the first item; <c>null</c> where the operation always begins with the first.</param>
internal sealed class StreamResponder(EndpointServices shared, Operation operation, bool isNegotiated, FromArgument? from)
{
    // Milliseconds. Readers of many streams that end together should not all connect at once.
    private const int ShortestRetry = 500;
    private const int RetrySpread = 1000;


    // The producer of an isolated stream runs in its worker: the pool logs when it has stopped.
    private string Stopped => operation.Placement == Placement.Isolated ? "the host's side of the stream" : "its producer";

    /// <summary>Runs a call whose arguments are bound, and answers.</summary>
    /// <param name="http">The request.</param>
    /// <param name="format">How the items are framed.</param>
    /// <param name="call">Its arguments are bound.</param>
    /// <param name="lent">Holds the body that the operation reads; <c>null</c> where it reads none.</param>
    /// <param name="limit">How long the caller waits.</param>
    /// <exception cref="OperationCanceledException">The request was cancelled before anything was sent: the middleware that cancelled it answers.</exception>
    internal async Task RunAsync(HttpContext http, IStreamFormat format, StreamCall call, CallBuffers? lent, TimeSpan? limit)
    {
        var output = new HttpStreamOutput(http, call, format.ContentType, isNegotiated, shared.Options.StreamUnsentLimit, shared.Streams.Time);
        if (HttpMethods.IsHead(http.Request.Method))
        {
            // The headers of a stream are known without running its producer, which may never end.
            output.Commit();
            return;
        }

        // 1. The passed token is the server's, which fires when the client disconnects, or one with which a middleware has replaced it. A
        // shutdown fires the stream's own token too. The call and the reader of its body find it in the request.
        var isMovable = from is not null && format.IsResumable;
        var given = http.RequestAborted;
        using var ends = CancellationTokenSource.CreateLinkedTokenSource(given);
        using var shutdown = shared.Shutdown.Register(ends, isMovable);
        var token = http.RequestAborted = ends.Token;
        await using var stream = new ResponseStream(format, output, operation.Flush, shared.Streams, shared.Ticker, from is null ? null : () => from.Read(call));
        await using var cancelled = new CancelledStream(stream, shared.Streams);
        cancelled.Watch(token, given);
        try
        {
            // 2. Items are sent as they arise; this completes after the producer was disposed.
            stream.Open();
            var services = EndpointServices.MayNeedNoServices(operation) ? new RequestServices().Attach(http) : http.RequestServices;
            await shared.Pipeline.RunStreamAsync(call, stream, EndpointServices.Request(http, services, ResultEncoding.Json, limit));

            // 3. The end of the stream.
            if (stream.IsStalled)
            {
                throw new ClientDisconnectedException();
            }

            token.ThrowIfCancellationRequested();
            if (await stream.IsAbsentAsync(isAnswered: call.Context?.StatusCode is not null || http.Response.HasStarted))
            {
                AnswerWithoutItems(http.Response, call.Context);
                return;
            }

            await stream.CompleteAsync();
        }
        catch (Exception error) when (token.IsCancellationRequested || stream.IsStalled || error is ClientDisconnectedException or SenderDisconnectedException)
        {
            lent?.Abandon();
            if (isMovable && cancelled.IsShutDown && await TryMoveAsync(stream, cancelled))
            {
                return;
            }

            if (!await TryCutAsync(http, stream, cancelled, error))
            {
                await AnswerCutAsync(http, error, cancelled.IsShutDown, given);
            }
        }
        catch (Exception error)
        {
            lent?.Abandon();
            await FailAsync(http, stream, error);
        }
        finally
        {
            if (call.MayStillRun)
            {
                lent?.Abandon();
            }

            http.RequestAborted = given;
        }
    }

    // A filter skipped the operation, or caught its failure: the answer is what the filter set.
    private static void AnswerWithoutItems(HttpResponse response, OperationContext? context)
    {
        if (response.HasStarted)
        {
            return;
        }

        response.StatusCode = ResponseHeaders.Status(context, response, StatusCodes.Status204NoContent);
        ResponseHeaders.Add(response.Headers, context is { HasHeaders: true } ? context.Headers : null);
    }

    private async Task FailAsync(HttpContext http, ResponseStream stream, Exception error)
    {
        var problem = ProblemReport.Of(shared.Describe(operation, error), http);
        if (!await stream.TryFailAsync(problem))
        {
            await shared.FailAsync(http, operation, error);
        }
        else if (shared.IsFailure(operation, error))
        {
            shared.Log.OperationFailed(error, operation.FullName);
        }
    }

    // Nothing was sent: an ordinary answer, from the middleware that has cancelled the request or from this host.
    private static Task AnswerCutAsync(HttpContext http, Exception error, bool isShutDown, CancellationToken given)
    {
        if (isShutDown)
        {
            return ProblemResponse.WriteAsync(http, new Problem(
                StatusCodes.Status503ServiceUnavailable, WeirCodes.Cancelled, "The host shut down before the first item of the stream; send the request to another host."));
        }

        CancelledRequest.Rethrow(http, error, given);
        return Task.CompletedTask;
    }

    // The clock differs enough from stream to stream.
    private TimeSpan RetryWait() => TimeSpan.FromMilliseconds(ShortestRetry + (shared.Streams.Now() % RetrySpread));

    // Its reader continues it on another host, or on this one after the restart.
    private async Task<bool> TryMoveAsync(ResponseStream stream, CancelledStream cancelled)
    {
        var stopped = cancelled.SinceThen().TotalMilliseconds;
        if (!await stream.TryEndForRetryAsync(RetryWait()))
        {
            return false;
        }

        shared.Log.StreamMoved(operation.FullName, stream.Sent, Stopped, stopped);
        return true;
    }

    private async Task<bool> TryCutAsync(HttpContext http, ResponseStream stream, CancelledStream cancelled, Exception error)
    {
        // The time from here on is not part of how long the producer took to stop.
        var stopped = cancelled.SinceThen().TotalMilliseconds;
        var isCut = await stream.TryCutAsync(ProblemReport.Of(CancelledRequest.Describe(http), http));
        if (stream.IsStalled)
        {
            shared.Log.ReaderStalled(operation.FullName, stream.Sent, shared.Options.ReaderStallTimeout.GetValueOrDefault());
        }
        else if (CancelledRequest.HasTimedOut(http))
        {
            shared.Log.StreamTimedOut(operation.FullName, stream.Sent, Stopped, stopped);
        }
        else if (cancelled.IsShutDown)
        {
            shared.Log.StreamShutDown(operation.FullName, stream.Sent, Stopped, stopped);
        }
        else
        {
            shared.Log.StreamStopped(operation.FullName, stream.Sent, Stopped, stopped);
        }

        if (error is not OperationCanceledException && shared.IsFailure(operation, error))
        {
            shared.Log.OperationFailed(error, operation.FullName);
        }

        return isCut;
    }
}
