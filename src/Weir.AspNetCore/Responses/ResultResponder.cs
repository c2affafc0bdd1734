using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http;
using Microsoft.Net.Http.Headers;
using Weir.AspNetCore.Formatting;
using Weir.AspNetCore.Http;
using Weir.Runtime;

namespace Weir.AspNetCore.Responses;

/// <summary>
/// Runs the calls of one operation that has one result or none, and writes it. Synchronous completion costs no
/// state machine.
/// </summary>
/// <param name="shared">What all endpoints share.</param>
/// <param name="operation">The operation.</param>
/// <param name="isNegotiated">Whether <c>Accept</c> chooses the format, which caches must know.</param>
internal sealed class ResultResponder(EndpointServices shared, Operation operation, bool isNegotiated)
{
    // What is written in one piece: as much as Kestrel holds for a response anyway.
    private const int SliceSize = 64 * 1024;

    private static readonly byte[] Null = [.. "null"u8];

    private readonly bool _isFixed = Formats.IsFixed(operation);

    // A null among bytes as they come could not be told from bytes that say so, so nothing is sent.
    private readonly bool _mayBeNothing = operation is { ResultKind: ResultKind.Raw, IsResultNullable: true };

    // A worker selects what is sent of its content; the host does it where the content is here.
    private readonly bool _hasConditions = operation is { ResultKind: ResultKind.Raw, Placement: Placement.Isolated };
    private readonly bool _mayNeedNoServices = EndpointServices.MayNeedNoServices(operation);

    /// <summary>Runs a call whose arguments are bound, and answers.</summary>
    /// <exception cref="OperationCanceledException">The request was cancelled: the middleware that cancelled it answers.</exception>
    internal ValueTask RunAsync(OperationRequest request)
    {
        if (_isFixed)
        {
            return RunFixedAsync(request);
        }

        Task sending;
        try
        {
            var running = shared.Pipeline.RunAsync(request.Call!, EndpointServices.Request(request.Http, Services(request), Encoding((IResultFormat)request.Format), request.Limit, request.Recording));
            if (!running.IsCompletedSuccessfully)
            {
                return AwaitAsync(running, request);
            }

            running.GetAwaiter().GetResult();
            sending = WriteAsync(request, null);
        }
        catch (Exception error)
        {
            return new ValueTask(FailAsync(request, error));
        }

        if (!sending.IsCompletedSuccessfully)
        {
            return ReturnAfterAsync(sending, request);
        }

        request.ReturnCall();
        return default;
    }

    /// <summary>Runs a call whose arguments are bound; its result stays in it.</summary>
    /// <param name="http">The request.</param>
    /// <param name="format">How the result will be written.</param>
    /// <param name="call">Rented. To be released, whatever its outcome.</param>
    /// <param name="limit">How long the caller waits.</param>
    internal ValueTask CallAsync(HttpContext http, IResultFormat format, Call call, TimeSpan? limit) => CallAsync(http, http.RequestServices, format, call, limit, null);

    /// <summary>Disposes what a result that is read after the call leaves open, sent or not: itself, then the service's instance.</summary>
    /// <param name="call">It has been answered, or has failed. Its operation may still run.</param>
    internal ValueTask ReleaseAsync(Call call) => _isFixed ? ReleaseFixedAsync(call) : default;

    /// <summary>Answers a call that failed. Other code may still refer to it.</summary>
    /// <exception cref="OperationCanceledException">The request was cancelled: the middleware that cancelled it answers.</exception>
    internal async Task FailAsync(OperationRequest request, Exception error)
    {
        if (request.Http.Response.HasStarted)
        {
            // What failed may be a write, and a stream that replaces the response's may still read the memory.
            request.Leave();
        }

        request.Abandon();
        await shared.FailAsync(request.Http, operation, error);
    }

    // A raw null and a raw empty text look the same, so a result that may be null comes from a worker as JSON.
    private ResultEncoding Encoding(IResultFormat format) => operation.IsResultNullable ? ResultEncoding.Json : format.Encoding;

    private static async ValueTask ReleaseFixedAsync(Call call)
    {
        try
        {
            // A filter may have set it. What the call holds is disposed with the call, and once only.
            if (!call.Holds(call.Result))
            {
                await OwnResult.DisposeAsync(call.Result);
            }
        }
        finally
        {
            await call.ReleaseAsync();
        }
    }

    private static Task SendAsync(PipeWriter writer, ReadOnlyMemory<byte> body)
    {
        if (body.Length > SliceSize)
        {
            return SendSlicesAsync(writer, body);
        }

        var writing = writer.WriteAsync(body);
        if (!writing.IsCompletedSuccessfully)
        {
            return writing.AsTask();
        }

        writing.GetAwaiter().GetResult();
        return Task.CompletedTask;
    }

    private static async Task SendSlicesAsync(PipeWriter writer, ReadOnlyMemory<byte> body)
    {
        for (var rest = body; !rest.IsEmpty; rest = rest[Math.Min(SliceSize, rest.Length)..])
        {
            var written = await writer.WriteAsync(rest[..Math.Min(SliceSize, rest.Length)]);
            if (written.IsCompleted || written.IsCanceled)
            {
                // The client has disconnected.
                return;
            }
        }
    }

    private IServiceProvider Services(OperationRequest request) => _mayNeedNoServices ? request.Buffers.Services.Attach(request.Http) : request.Http.RequestServices;

    private ValueTask CallAsync(HttpContext http, IServiceProvider services, IResultFormat format, Call call, TimeSpan? limit, CallRecording? recording) =>
        shared.Pipeline.RunAsync(call, EndpointServices.Request(http, services, Encoding(format), limit, recording) with { HoldsResult = _isFixed, Conditions = _hasConditions ? ConditionHeaders.Of(http.Request) : null });

    // The result writes the response itself, which may fail while it does, and until then it may need the service's instance.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask RunFixedAsync(OperationRequest request)
    {
        var (time, began) = (shared.Requests.Time, shared.Requests.Time.GetTimestamp());
        try
        {
            try
            {
                await CallAsync(request.Http, Services(request), (IResultFormat)request.Format, request.Call!, request.Limit, request.Recording);
                await WriteAsync(request, request.Limit - time.GetElapsedTime(began));
            }
            finally
            {
                await ReleaseAsync(request.Call!);
            }

            request.ReturnCall();
        }
        catch (Exception error)
        {
            await FailAsync(request, error);
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask AwaitAsync(ValueTask running, OperationRequest request)
    {
        try
        {
            await running;
            await WriteAsync(request, null);
            request.ReturnCall();
        }
        catch (Exception error)
        {
            await FailAsync(request, error);
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private static async ValueTask ReturnAfterAsync(Task sending, OperationRequest request)
    {
        try
        {
            await sending;
            request.ReturnCall();
        }
        catch
        {
            request.Leave();
            throw;
        }
    }

    /// <summary>Writes the result of a call that has run.</summary>
    /// <param name="request">Its call holds the result, or none.</param>
    /// <param name="limit">How long the caller still waits for a result that writes itself; <c>null</c> for no limit.</param>
    internal Task WriteAsync(OperationRequest request, TimeSpan? limit)
    {
        var (http, call, format) = (request.Http, request.Call!, (IResultFormat)request.Format);
        var response = http.Response;
        if (IsAnswered(response, call))
        {
            return Task.CompletedTask;
        }

        var hasResult = call.HasResult && !(_mayBeNothing && call.IsResultNull);
        if (_isFixed && hasResult)
        {
            return limit is { } rest ? ResponseDeadline.WriteAsync(http, call, rest, shared.Requests.Time) : OwnResult.WriteAsync(http, call);
        }

        // 1. Encode first: what fails here is still an ordinary problem. A call that a filter skipped, or whose failure it caught,
        // has no result.
        ReadOnlyMemory<byte> body = default;
        if (hasResult && call.IsResultNull)
        {
            // Whatever the operation declares: a filter may have replaced the result.
            format = Formats.Null;
            body = Null;
        }
        else if (hasResult)
        {
            body = Encode(format, call, request.Buffers.Output);
        }

        // 2. Status and headers; filters may have chosen theirs.
        var context = call.Context;
        response.StatusCode = ResponseHeaders.Status(context, response, hasResult ? StatusCodes.Status200OK : StatusCodes.Status204NoContent);
        hasResult &= ResponseHeaders.AllowsBody(response.StatusCode);
        if (hasResult)
        {
            response.Headers.ContentType = format.ContentType;
            response.ContentLength = body.Length;
        }

        if (context is { HasHeaders: true })
        {
            ResponseHeaders.Add(response.Headers, context.Headers);
        }

        if (hasResult && isNegotiated)
        {
            response.Headers.Append(HeaderNames.Vary, HeaderNames.Accept);
        }

        // 3. The body, in one write.
        return !hasResult || body.IsEmpty || HttpMethods.IsHead(http.Request.Method)
            ? Task.CompletedTask
            : SendAsync(response.BodyWriter, body);
    }

    // A worker has encoded the result as it is sent, unless the serializer replaces generated code.
    private static ReadOnlyMemory<byte> Encode(IResultFormat format, Call call, PayloadWriter output)
    {
        if (!output.ReplacesGeneratedCode && call.TryGetEncodedResult(format.Encoding, out var encoded))
        {
            return encoded;
        }

        format.Write(call, output);
        return output.WrittenMemory;
    }

    // Whether the operation, or a filter, has written the response by itself. Bytes that were not flushed count, and so does a
    // content type where there is no result: a middleware that compresses the response holds the bytes back.
    private static bool IsAnswered(HttpResponse response, Call call) =>
        response.HasStarted
        || (call.Context is not null
            && (response.BodyWriter is { CanGetUnflushedBytes: true, UnflushedBytes: > 0 } || (!call.HasResult && response.ContentType is not null)));
}
