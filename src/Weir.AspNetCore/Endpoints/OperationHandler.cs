using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.OutputCaching;
using Microsoft.Net.Http.Headers;
using Weir.AspNetCore.Binding;
using Weir.AspNetCore.Diagnostics;
using Weir.AspNetCore.Filters;
using Weir.AspNetCore.Formatting;
using Weir.AspNetCore.Http;
using Weir.AspNetCore.Problems;
using Weir.AspNetCore.RequestStreams;
using Weir.AspNetCore.Responses;
using Weir.Runtime;

namespace Weir.AspNetCore.Endpoints;

/// <summary>
/// Answers the requests of one operation: verb, origin, format, arguments, endpoint filters, then the call. Authorisation is done before it.
/// Immutable once its endpoint is built; used concurrently.
/// </summary>
internal sealed class OperationHandler
{
    private readonly EndpointServices _shared;
    private readonly Operation _operation;
    private readonly Formats _formats;
    private readonly bool _isByExtension;
    private readonly RequestGuard _guard;
    private readonly SignatureCheck _signature;
    private readonly RequestBinder _binder;
    private readonly RequestItems? _items;
    private readonly RequestContent? _content;
    private readonly string[] _routeArguments;
    private readonly HeaderParameter[] _headers;
    private readonly ResultResponder _result;
    private readonly StreamResponder _stream;
    private readonly FromArgument? _from;
    private readonly bool _mayBeDeferred;

    // Set while the endpoint is built, after all conventions; null where there is none.
    private FilteredCalls? _filters;

    /// <param name="shared">What all endpoints share.</param>
    /// <param name="operation">The operation.</param>
    /// <param name="verbs">The verbs it accepts at this path.</param>
    /// <param name="routeArguments">The names of its arguments that are in the path.</param>
    /// <param name="formats">The formats it can answer in at this path.</param>
    /// <param name="isByExtension">Whether the path named the format, so that <c>Accept</c> cannot refuse it.</param>
    internal OperationHandler(EndpointServices shared, Operation operation, Verbs verbs, string[] routeArguments, Formats formats, bool isByExtension)
    {
        _shared = shared;
        _operation = operation;
        _formats = formats;
        _isByExtension = isByExtension;
        _guard = new RequestGuard(operation, verbs);
        _signature = new SignatureCheck(operation, new ContractRefusals(operation, shared.Log, shared.Requests.Time), isNegotiated: formats.Candidates.Length > 1);
        _routeArguments = routeArguments;
        _headers = HeaderParameter.Of(operation);
        _binder = new RequestBinder(operation);
        _items = operation.ItemsParameter is not null ? new RequestItems(operation, shared.Requests) : null;
        _content = operation.ContentParameter is not null ? new RequestContent(operation, _binder, shared.Requests) : null;
        _result = new ResultResponder(shared, operation, formats.Candidates.Length > 1);
        _from = FromArgument.Of(operation);
        _mayBeDeferred = operation.Job is { Respond: not JobRespond.Never };
        _stream = new StreamResponder(shared, operation, formats.Candidates.Length > 1, _from);
    }

    /// <summary>Takes the endpoint filters that the conventions have added to the endpoint. Called once, while it is built.</summary>
    internal void AddFilters(EndpointBuilder builder)
    {
        _filters = FilteredCalls.Create(_shared, _operation, _result, builder);
        _signature.IsCached = builder.Metadata.Any(static one => one is OutputCacheAttribute or IOutputCachePolicy);
    }

    /// <summary>The endpoint's delegate.</summary>
    internal Task InvokeAsync(HttpContext http)
    {
        // 1. and 2. The verb and the origin.
        return _guard.Passes(http) ? NegotiateAsync(http) : GuardAsync(http);
    }

    private async Task GuardAsync(HttpContext http)
    {
        if (!await _guard.TryAnswerAsync(http))
        {
            await NegotiateAsync(http);
        }
    }

    private Task NegotiateAsync(HttpContext http)
    {
        // 3. The format, before anything runs.
        var format = Negotiation.Choose(_operation, _formats, http.Request.Headers.Accept, _isByExtension);
        if (format is null)
        {
            http.Response.Headers.Append(HeaderNames.Vary, HeaderNames.Accept);
            return ProblemResponse.WriteAsync(http, Negotiation.Refuse(_operation, _formats));
        }

        if (_operation.ResultKind == ResultKind.Stream && http.Request.Headers.TryGetValue(LastEventId.Header, out var last)
            && (_operation.Resumption == Resumption.None || last is [SseFormat.EndId]))
        {
            // An EventSource reconnects after every end of a response. Only this makes it stop; otherwise it would receive all items again.
            http.Response.StatusCode = StatusCodes.Status204NoContent;
            return Task.CompletedTask;
        }

        if (_signature.Check(http) is { } changed)
        {
            return ProblemResponse.WriteAsync(http, changed);
        }

        return ServeAsync(_shared.Rent(http, format, _operation));
    }

    // Disposes the request when it is answered, whatever became of it. An answer that is complete at once costs no state machine.
    private Task ServeAsync(OperationRequest request)
    {
        ValueTask answering;
        try
        {
            answering = AnswerAsync(request);
        }
        catch
        {
            request.Dispose();
            throw;
        }

        if (!answering.IsCompletedSuccessfully)
        {
            return AwaitAsync(answering, request);
        }

        answering.GetAwaiter().GetResult();
        request.Dispose();
        return Task.CompletedTask;

        static async Task AwaitAsync(ValueTask answering, OperationRequest request)
        {
            using (request)
            {
                await answering;
            }
        }
    }

    private ValueTask AnswerAsync(OperationRequest request)
    {
        // 4. The arguments.
        var (http, arguments) = (request.Http.Request, request.Buffers.Arguments);
        arguments.Start(http.QueryString.Value, _shared.Options.RefuseUnknownArguments);
        if (_routeArguments.Length > 0)
        {
            arguments.AddRoute(_routeArguments, http.RouteValues);
        }

        if (_headers.Length > 0)
        {
            arguments.AddHeaders(_headers, http.Headers);
        }

        if (_items is not null)
        {
            return StreamBodyAsync(request, _items);
        }

        if (_content is not null)
        {
            return ReceiveContentAsync(request, _content);
        }

        _binder.AttachBody(http, request.Buffers);
        var isSafe = AllowedVerbs.IsSafe(http.Method);
        if (!isSafe && RequestBody.MayExist(request.Http))
        {
            return ReadBodyAsync(request);
        }

        if (!isSafe)
        {
            _binder.AddRaw(http, request.Buffers);
        }

        return BindAsync(request);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask ReadBodyAsync(OperationRequest request)
    {
        request.Recording?.TimePhases();
        var (http, buffers) = (request.Http, request.Buffers);
        if (await TryReadAsync(_binder.ReadAsync(http.Request, buffers), request))
        {
            _binder.AddRaw(http.Request, buffers);
            await BindAsync(request);
        }
    }

    // The body is returned to the server when the request is answered, whatever was read of it.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask ReceiveContentAsync(OperationRequest request, RequestContent content)
    {
        request.Recording?.TimePhases();
        try
        {
            if (await TryReadAsync(content.OpenAsync(request), request))
            {
                await BindAsync(request);
            }
        }
        finally
        {
            if (request.Items is { } items)
            {
                await items.DisposeAsync();
            }
        }
    }

    // False where the request is answered: the body must not, or cannot, be read.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<bool> TryReadAsync(ValueTask<Problem?> reading, OperationRequest request)
    {
        var http = request.Http;
        Problem? problem;
        try
        {
            problem = await reading;
        }
        catch (BadHttpRequestException error)
        {
            problem = UnreadableBody.Describe(error);
        }
        catch (PayloadTooLargeException error)
        {
            problem = new Problem(413, WeirCodes.BodyTooLarge, error.Message);
        }
        catch (WeirException error)
        {
            problem = ProblemMapping.From(error, includeDetails: false);
        }
        catch (Exception error) when (error is OperationCanceledException or ConnectionResetException || (error is IOException && http.RequestAborted.IsCancellationRequested))
        {
            // In the middle of the body: the client has disconnected, or a middleware has cancelled the request.
            _shared.Cancel(http, _operation, error);
            return false;
        }
        catch (Exception error) when (UnreadableBody.IsMalformed(error))
        {
            problem = UnreadableBody.Describe(error, BodyForms.Of(http.Request.ContentType));
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            // Not the caller's fault: the server's own reader of forms keeps large parts in files.
            _shared.Log.FormNotStored(error, _operation.FullName);
            problem = new Problem(StatusCodes.Status500InternalServerError, WeirCodes.HandlerFailed, "The server could not store the form; its log has the reason under this traceId.");
        }

        if (problem is null)
        {
            return true;
        }

        await ProblemResponse.WriteAsync(http, problem);
        return false;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask StreamBodyAsync(OperationRequest request, RequestItems opener)
    {
        request.Recording?.TimePhases();
        var (items, problem) = opener.Open(request.Http);
        if (items is null)
        {
            await ProblemResponse.WriteAsync(request.Http, problem!);
            return;
        }

        await using (items)
        {
            request.Content = request.Items = items;
            await BindAsync(request);
        }
    }

    private ValueTask BindAsync(OperationRequest request)
    {
        var (http, arguments) = (request.Http, request.Buffers.Arguments);
        var errors = arguments.Errors;
        request.Limit = DeadlineHeader.Read(http.Request.Headers, errors);
        var call = _operation.RentCall();
        var isBound = false;
        try
        {
            call.Bind(arguments);
            isBound = true;
        }
        catch (Exception error) when (errors.TryAdd(error, _shared.Options.IncludeExceptionDetails))
        {
            // The binder itself throws nothing: a type of the operation refused its values in a constructor or setter.
        }
        catch (Exception error)
        {
            return FailAsync(request, error);
        }

        if (isBound)
        {
            _from?.Bind(call, http.Request.Headers, errors);
        }

        if (isBound && _operation.HasValidation)
        {
            try
            {
                call.Validate(new ArgumentValidator(errors, http.RequestServices, arguments));
            }
            catch (Exception error)
            {
                // An attribute's own code threw, or a property did.
                return FailAsync(request, error);
            }
        }

        if (errors.Count > 0)
        {
            var problem = ProblemMapping.From(new BindingException(errors.ToArray()), includeDetails: false);
            return new ValueTask(ProblemResponse.WriteAsync(http, problem));
        }

        request.Call = call;
        if (request.Content is { } content)
        {
            call.TakeItems(content);
        }

        return _content is null ? BeginAsync(request) : OpenAndBeginAsync(request, call);
    }

    // A file is an argument when its name and headers have come.
    private async ValueTask OpenAndBeginAsync(OperationRequest request, Call call)
    {
        var (time, began) = (_shared.Requests.Time, _shared.Requests.Time.GetTimestamp());
        try
        {
            await call.OpenContentAsync(request.Http.RequestAborted);
        }
        catch (BindingException error)
        {
            await ProblemResponse.WriteAsync(request.Http, ProblemMapping.From(error, includeDetails: false));
            return;
        }
        catch (Exception error)
        {
            await FailAsync(request, error);
            return;
        }

        request.Limit -= time.GetElapsedTime(began);
        await BeginAsync(request);
    }

    private ValueTask BeginAsync(OperationRequest request)
    {
        var http = request.Http;
        if (_mayBeDeferred && !AllowedVerbs.IsSafe(http.Request.Method) && _shared.Deferred.Deferral is { } deferral && deferral.Takes(http, _operation))
        {
            request.Deferral = deferral;
        }

        return _filters is null ? RunAsync(request) : FilterAsync(_filters, request);
    }

    // The exception may have been given an argument, and handlers may keep it.
    private ValueTask FailAsync(OperationRequest request, Exception error)
    {
        request.Abandon();
        return new ValueTask(_shared.FailAsync(request.Http, _operation, error));
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask FilterAsync(FilteredCalls filters, OperationRequest request)
    {
        if (!await filters.TryAnswerAsync(request))
        {
            await RunAsync(request);
        }
    }

    private ValueTask RunAsync(OperationRequest request) =>
        request.Deferral is { } deferral ? deferral.AnswerAsync(request)
        : request.Items is { } items && ReferenceEquals(items, request.Content) && _operation.Placement == Placement.Isolated ? RunWithItemsAsync(request, items)
        : RunCallAsync(request);

    // A worker is occupied from its first read on, so a sender that has sent no whole item yet should not have a worker.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask RunWithItemsAsync(OperationRequest request, HttpItemReader items)
    {
        var (time, began) = (_shared.Requests.Time, _shared.Requests.Time.GetTimestamp());
        await items.PrefetchAsync(request.Limit);
        request.Limit -= time.GetElapsedTime(began);
        await RunCallAsync(request);
    }

    // 5. The call.
    private ValueTask RunCallAsync(OperationRequest request) =>
        request.Call is StreamCall ? new ValueTask(_stream.RunAsync(request)) : _result.RunAsync(request);
}
