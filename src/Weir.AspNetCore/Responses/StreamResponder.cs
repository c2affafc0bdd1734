using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Binding;
using Weir.AspNetCore.Diagnostics;
using Weir.AspNetCore.Formatting;
using Weir.AspNetCore.Http;
using Weir.AspNetCore.Problems;
using Weir.AspNetCore.RequestStreams;
using Weir.AspNetCore.Resuming;
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
    /// <exception cref="OperationCanceledException">The request was cancelled before anything was sent: the middleware that cancelled it answers.</exception>
    internal Task RunAsync(OperationRequest request)
    {
        if (!request.IsBodyLent)
        {
            // A stream may run without a limit; the buffers that bound its arguments are not needed any more.
            request.ReturnBuffers();
        }

        var format = (IStreamFormat)request.Format;
        if (HttpMethods.IsHead(request.Http.Request.Method))
        {
            // The headers of a stream are known without running its producer, which may never end.
            Output(request.Http, format, (StreamCall)request.Call!).Commit();
            return Task.CompletedTask;
        }

        return operation.Resumption == Resumption.Buffer && !request.IsBodyLent ? RunKeptAsync(request, format) : SendAsync(request, format, Feed(request));
    }

    private CallFeed Feed(OperationRequest request) => new(shared, (StreamCall)request.Call!, from, request.Limit, request.Recording);

    private async Task RunKeptAsync(OperationRequest request, IStreamFormat format)
    {
        var (http, limit) = (request.Http, request.Limit);
        StreamFeed feed;
        if (operation.UsesCaller)
        {
            // The call outlives its request.
            request.Call!.Caller = http.User;
        }

        if (http.Request.Headers.TryGetValue(LastEventId.Header, out var last))
        {
            var attachment = ContinuedStream.TryAttach(shared.Kept, http, last, out var stream, out var reader);
            if (attachment != Attachment.Attached)
            {
                await ProblemResponse.WriteAsync(http, ContinuedStream.Describe(attachment, operation, shared.Options));
                return;
            }

            feed = new KeptFeed(shared.Kept, stream!, reader!, isContinued: true);
        }
        else if (!format.IsResumable || StreamKey.Of(http) is not { } key)
        {
            // No reader could say where it was, or prove that the stream is its own.
            feed = Feed(request);
        }
        else if (shared.Kept.TryBegin(StreamCaller.NameOf(http), (StreamCall)request.Call!, key, shared.Streams, begun => ProduceAsync(begun, limit, DeadlineHeader.Asked(http.Request.Headers))) is var (kept, first))
        {
            feed = new KeptFeed(shared.Kept, kept, first, isContinued: false);
        }
        else
        {
            // A stream that a cut would end is better than none.
            if (shared.Kept.TryReportFull())
            {
                shared.Log.ResumeMemoryFull(operation.FullName, shared.Options.ResumeMemoryLimit.GetValueOrDefault());
            }

            feed = Feed(request);
        }

        await SendAsync(request, feed);
    }

    /// <summary>Sends the items of a feed, and ends the response.</summary>
    /// <param name="request">Its format is how they are written. It has no call of its own.</param>
    /// <param name="feed">Has them.</param>
    /// <exception cref="OperationCanceledException">The request was cancelled before anything was sent: the middleware that cancelled it answers.</exception>
    internal Task SendAsync(OperationRequest request, StreamFeed feed)
    {
        var format = (IStreamFormat)request.Format;
        if (HttpMethods.IsHead(request.Http.Request.Method))
        {
            Output(request.Http, format, feed.Call, feed.StreamName).Commit();
            return Task.CompletedTask;
        }

        return SendAsync(request, format is SseFormat && feed.StreamName is { } name ? new SseFormat(name) : format, feed);
    }

    // The call of a kept stream, beside its responses: it has a scope of its own, and nothing of the request that began it.
    private async Task ProduceAsync(KeptStream stream, TimeSpan? limit, TimeSpan? asked)
    {
        var failure = await stream.RunAsync(shared.Pipeline, new CallRequest { CancellationToken = stream.Token, TimeLimit = limit, AskedTimeLimit = asked, ResultEncoding = ResultEncoding.Json });
        if (failure is not null && !stream.Token.IsCancellationRequested && !stream.IsAttached && shared.IsFailure(operation, failure) && stream.TryReportFailure())
        {
            shared.Report(operation, failure);
        }
    }

    private HttpStreamOutput Output(HttpContext http, IStreamFormat format, StreamCall call, string? stream = null) =>
        new(http, call, format.ContentType, isNegotiated, shared.Options.StreamUnsentLimit, shared.Streams.Time, stream);

    private async Task SendAsync(OperationRequest request, IStreamFormat format, StreamFeed feed)
    {
        var http = request.Http;

        // 1. The passed token is the server's, which fires when the client disconnects, or one with which a middleware has replaced it. A
        // shutdown fires the stream's own token too. The call and the reader of its body find it in the request.
        var given = http.RequestAborted;
        using var ends = CancellationTokenSource.CreateLinkedTokenSource(given, feed.Displaced);
        var isMovable = feed.CanMove && format.IsResumable;
        using var shutdown = shared.Shutdown.Register(ends, isMovable);
        using var running = shared.Running.Add(operation, isMovable);
        var token = http.RequestAborted = ends.Token;

        // A kept stream holds nothing back: its buffer may be full of items that wait to be sent.
        var policy = feed.SendsSoon && operation.Flush == FlushPolicy.Bulk ? FlushPolicy.Adaptive : operation.Flush;
        var output = Output(http, format, feed.Call, feed.StreamName);
        await using var stream = new ResponseStream(format, output, policy, shared.Streams, shared.Ticker, feed.First, feed.OnSent);
        await using var cancelled = new CancelledStream(stream, shared.Streams);
        cancelled.Watch(token, given);
        try
        {
            // 2. Items are sent as they arise; this completes after the producer was disposed, or after the last item of a kept stream.
            stream.Open();
            await feed.SendAsync(http, stream);

            // 3. The end of the stream.
            if (stream.IsStalled)
            {
                throw new ClientDisconnectedException();
            }

            token.ThrowIfCancellationRequested();
            if (await feed.IsAbsentAsync(http, stream))
            {
                AnswerWithoutItems(http.Response, feed.Call.Context);
                return;
            }

            await stream.CompleteAsync();
        }
        catch (Exception error) when (token.IsCancellationRequested || stream.IsStalled || feed.IsDisplaced || error is ClientDisconnectedException or SenderDisconnectedException)
        {
            request.Abandon();
            if (feed.IsDisplaced)
            {
                await stream.AbandonAsync();
                shared.Log.ReaderDisplaced(operation.FullName, stream.Sent);
                return;
            }

            if (feed.CanContinue && cancelled.IsShutDown && await TryMoveAsync(stream, cancelled, feed, error))
            {
                return;
            }

            if (!await TryCutAsync(http, stream, cancelled, feed, error))
            {
                await AnswerCutAsync(http, error, cancelled.IsShutDown, given);
            }
        }
        catch (Exception error)
        {
            request.Abandon();
            await FailAsync(http, stream, feed, error);
        }
        finally
        {
            if (feed.Call.MayStillRun)
            {
                request.Abandon();
            }

            http.RequestAborted = given;
            feed.Release(stream);
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

    private async Task FailAsync(HttpContext http, ResponseStream stream, StreamFeed feed, Exception error)
    {
        var isReported = !feed.TryReportFailure();
        var problem = feed.Describe(error) ?? shared.Describe(operation, error);
        if (await stream.TryFailAsync(ProblemReport.Of(problem, http), feed.IsContinued))
        {
            if (!isReported)
            {
                shared.Report(operation, error, problem);
            }
        }
        else if (isReported)
        {
            await shared.AnswerAsync(http, operation, error, problem);
        }
        else
        {
            await shared.FailAsync(http, operation, error);
        }
    }

    // Nothing was sent: an ordinary answer, from the middleware that has cancelled the request or from this host.
    private Task AnswerCutAsync(HttpContext http, Exception error, bool isShutDown, CancellationToken given)
    {
        if (isShutDown)
        {
            var problem = new Problem(
                StatusCodes.Status503ServiceUnavailable, WeirCodes.Cancelled, "The host shut down before the first item of the stream; send the request to another host.");
            shared.Log.CallNotServed(operation.FullName, problem.Status, problem.Code, problem.Detail);
            return ProblemResponse.WriteAsync(http, problem);
        }

        CancelledRequest.Rethrow(http, error, given);
        return Task.CompletedTask;
    }

    // The clock differs enough from stream to stream.
    private TimeSpan RetryWait() => TimeSpan.FromMilliseconds(ShortestRetry + (shared.Streams.Now() % RetrySpread));

    // Its reader continues it on another host, or on this one after the restart.
    private async Task<bool> TryMoveAsync(ResponseStream stream, CancelledStream cancelled, StreamFeed feed, Exception error)
    {
        var stopped = cancelled.SinceThen().TotalMilliseconds;
        if (!await stream.TryEndForRetryAsync(RetryWait()))
        {
            return false;
        }

        shared.Log.StreamMoved(operation.FullName, stream.Sent, feed.Stops ?? Stopped, stopped);
        LogFailure(error);
        return true;
    }

    // The operation failed while it was stopped.
    private void LogFailure(Exception error)
    {
        if (error is not OperationCanceledException && shared.IsFailure(operation, error))
        {
            shared.Report(operation, error);
        }
    }

    private async Task<bool> TryCutAsync(HttpContext http, ResponseStream stream, CancelledStream cancelled, StreamFeed feed, Exception error)
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
            shared.Log.StreamTimedOut(operation.FullName, stream.Sent, feed.Stops ?? Stopped, stopped);
        }
        else if (cancelled.IsShutDown)
        {
            shared.Log.StreamShutDown(operation.FullName, stream.Sent, feed.Stops ?? Stopped, stopped);
        }
        else if (feed.IsKept)
        {
            shared.Log.ReaderLeft(operation.FullName, stream.Sent, shared.Options.ResumeWindow);
        }
        else
        {
            shared.Log.StreamStopped(operation.FullName, stream.Sent, feed.Stops ?? Stopped, stopped);
        }

        LogFailure(error);
        return isCut;
    }
}
