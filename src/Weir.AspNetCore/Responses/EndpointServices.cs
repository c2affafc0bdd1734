using System.Security.Claims;
using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Json;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Weir.AspNetCore.Binding;
using Weir.AspNetCore.Diagnostics;
using Weir.AspNetCore.Formatting;
using Weir.AspNetCore.Problems;
using Weir.AspNetCore.RequestStreams;
using Weir.AspNetCore.Resuming;
using Weir.AspNetCore.Streaming;
using Weir.Runtime;

namespace Weir.AspNetCore.Responses;

/// <summary>What all endpoints of an application share. One per application; used concurrently.</summary>
internal sealed class EndpointServices : IDisposable
{
    private static readonly Func<object, ClaimsPrincipal?> UserOf = static transport => ((HttpContext)transport).User;

    private readonly ObjectPool<OperationRequest> _requests = new();

    // Those that streams gave back before their end. All others stay with their request.
    private readonly ObjectPool<CallBuffers> _buffers = new();
    private readonly ExceptionHandlers _handlers;

    public EndpointServices(
        CallPipeline pipeline, WeirCatalogs catalogs, IOptions<WeirServerOptions> options, IOptions<JsonOptions> json, TimeProvider time, ILoggerFactory loggers, ShutdownCut shutdown,
        ShutdownReport running, KeptStreams kept, DeferredCalls deferred, IEnumerable<IExceptionHandler> handlers)
    {
        Pipeline = pipeline;
        Options = options.Value;
        var plain = new JsonOptions().SerializerOptions;
        Serializer = JsonValueSerializer.ForCallers(() => [.. catalogs.Catalogs.Select(static one => one.CreateJson())], json.Value.SerializerOptions, plain, Options.RefuseUnknownArguments);
        Streams = new StreamSettings(Options, time) { Serializer = Serializer };
        Requests = new RequestSettings(Options, time) { Serializer = Serializer };
        Ticker = new FlushTicker(Streams);
        Log = loggers.CreateLogger("Weir.AspNetCore");
        RequireTypes(catalogs.Catalogs);
        Shutdown = shutdown;
        Running = running;
        Kept = kept;
        Deferred = deferred;
        _handlers = new ExceptionHandlers(handlers);
    }

    internal CallPipeline Pipeline { get; }

    internal WeirServerOptions Options { get; }

    /// <summary>For values that generated code cannot read or write.</summary>
    internal JsonValueSerializer Serializer { get; }

    internal StreamSettings Streams { get; }

    internal RequestSettings Requests { get; }

    internal FlushTicker Ticker { get; }

    internal ILogger Log { get; }

    internal ShutdownCut Shutdown { get; }

    /// <summary>The streams that are being sent.</summary>
    internal ShutdownReport Running { get; }

    /// <summary>The streams whose items are kept for readers that connect again.</summary>
    internal KeptStreams Kept { get; }

    /// <summary>Who answers calls in another way than by running them now.</summary>
    internal DeferredCalls Deferred { get; }

    /// <summary>A request that is to be disposed.</summary>
    /// <param name="http">The request.</param>
    /// <param name="format">How its answer is written.</param>
    /// <param name="recorded">The operation for which it is recorded; <c>null</c> for none.</param>
    internal OperationRequest Rent(HttpContext http, IFormat format, Operation? recorded = null)
    {
        var request = _requests.TryRent() ?? new OperationRequest(this);
        request.Begin(http, format, recorded);
        return request;
    }

    /// <summary>Buffers for a request that has none.</summary>
    internal CallBuffers RentBuffers() => _buffers.TryRent() ?? new CallBuffers(Serializer);

    /// <summary>Keeps an object that refers to no request, for the next one.</summary>
    /// <returns>Whether it is kept.</returns>
    internal bool Return(OperationRequest request) => _requests.Return(request);

    /// <summary>Keeps buffers that refer to no request, for the next one.</summary>
    internal void Return(CallBuffers buffers) => _buffers.Return(buffers);

    /// <summary>How the pipeline runs a call of this request.</summary>
    internal static CallRequest Request(HttpContext http, IServiceProvider services, ResultEncoding encoding, TimeSpan? limit, CallRecording? recording) => new()
    {
        Services = services,
        CancellationToken = http.RequestAborted,
        TimeLimit = limit,
        AskedTimeLimit = limit is null ? null : DeadlineHeader.Asked(http.Request.Headers),
        ResultEncoding = encoding,
        Transport = http,
        TransportKind = HttpCallTransport.Instance,
        UserOf = UserOf,
        Recording = recording,
    };

    /// <summary>Whether a call ended because its client disconnected or a middleware cancelled its request.</summary>
    internal static bool HasLeft(HttpContext http, Exception error) =>
        error is SenderDisconnectedException || ((error is IOException or OperationCanceledException) && http.RequestAborted.IsCancellationRequested);

    /// <summary>Whether calls of an operation usually need no service of the request: then a scope is made only when a service is requested.</summary>
    internal static bool MayNeedNoServices(Operation operation) =>
        (operation.Placement == Placement.Isolated || !operation.Service.NeedsServices) && !operation.UsesContext && operation.Filters.Count == 0;

    /// <summary>Ends a request that was cancelled before it was answered.</summary>
    /// <exception cref="OperationCanceledException">Its token fired: the middleware that cancelled it answers.</exception>
    internal void Cancel(HttpContext http, Operation operation, Exception error)
    {
        if (CancelledRequest.HasTimedOut(http))
        {
            Log.RequestTimedOut(operation.FullName);
        }
        else
        {
            Log.CallerDisconnected(operation.FullName);
        }

        if (http.Response.HasStarted)
        {
            http.Abort();
        }
        else
        {
            CancelledRequest.Rethrow(http, error, http.RequestAborted);
        }
    }

    /// <summary>Answers a call that failed and of which nothing was sent yet.</summary>
    /// <exception cref="OperationCanceledException">The request was cancelled: the middleware that cancelled it answers.</exception>
    internal Task FailAsync(HttpContext http, Operation operation, Exception error)
    {
        if (HasLeft(http, error))
        {
            Cancel(http, operation, error);
            return Task.CompletedTask;
        }

        return _handlers.MayHandle(http, error) ? HandleAsync(http, operation, error) : AnswerAsync(http, operation, error);
    }

    /// <summary>The problem that describes what a call threw.</summary>
    internal Problem Describe(Operation operation, Exception error) =>
        ProblemMapping.From(error, Options.IncludeExceptionDetails, DeclaredStatus.Of(operation, Options, error)) with { Thrown = DeclaredStatus.NameOf(operation, error) };

    /// <summary>Logs a call that failed, once, in the trace of its request.</summary>
    internal void Report(Operation operation, Exception error, Problem? problem = null) =>
        Log.CallFailed(operation, error, IsFailure(operation, error), problem ?? Describe(operation, error));

    /// <summary>Whether this is the operation's own failure, which is logged as an error; one whose status says that the caller is wrong is none.</summary>
    internal bool IsFailure(Operation operation, Exception error) => ProblemMapping.IsFailure(error) && DeclaredStatus.Of(operation, Options, error) is null or >= 500;

    /// <summary>Answers with the failure of a call.</summary>
    /// <param name="http">The request.</param>
    /// <param name="operation">The operation.</param>
    /// <param name="error">What the call threw.</param>
    /// <param name="problem">What describes it.</param>
    internal Task AnswerAsync(HttpContext http, Operation operation, Exception error, Problem problem) => error is OperationStatusException { Headers: not null } chosen
        ? AnswerChosenAsync(http, operation, chosen, problem)
        : WriteAsync(http, error, problem);

    public void Dispose() => Ticker.Dispose();

    private void RequireTypes(IReadOnlyList<ServiceCatalog> catalogs)
    {
        var types = catalogs.Select(static catalog => catalog.CreateJson());
        if (!Serializer.ReplacesGeneratedCode)
        {
            Serializer.Require([.. types.SelectMany(static one => one.SerializedTypes)], "over HTTP");
            return;
        }

        var settings = string.Join(", ", Serializer.ChangedSettings);
        Serializer.Require([.. types.SelectMany(static one => one.AllTypes())], $"over HTTP, where ConfigureHttpJsonOptions sets {settings}, so that generated code is not used");
        Log.SerializerReplacesGeneratedCode(settings);
    }

    // As in the middleware for exceptions, one that a handler of the application has answered is not logged as a failure.
    private async Task HandleAsync(HttpContext http, Operation operation, Exception error)
    {
        try
        {
            if (await _handlers.TryHandleAsync(http, error))
            {
                return;
            }
        }
        catch (Exception failure)
        {
            if (http.RequestAborted.IsCancellationRequested)
            {
                // The client gets no answer, but the operation has failed.
                Report(operation, error);
                Cancel(http, operation, failure);
                return;
            }

            Log.ExceptionHandlerFailed(failure, operation.FullName);
        }

        await AnswerAsync(http, operation, error);
    }

    private Task AnswerAsync(HttpContext http, Operation operation, Exception error)
    {
        var problem = Describe(operation, error);
        Report(operation, error, problem);
        return AnswerAsync(http, operation, error, problem);
    }

    private async Task AnswerChosenAsync(HttpContext http, Operation operation, OperationStatusException chosen, Problem problem)
    {
        try
        {
            await WriteAsync(http, chosen, problem);
        }
        catch (Exception error) when (error is InvalidOperationException or ArgumentException && !http.Response.HasStarted)
        {
            // A header that is invalid in every response. It may hold what a caller sent, so this is not only a programmer's mistake.
            problem = Describe(operation, error);
            Report(operation, error, problem);
            await WriteAsync(http, error, problem);
        }
    }

    private static Task WriteAsync(HttpContext http, Exception error, Problem problem) => error is OperationStatusException { Content: { } content } chosen
        ? StatusResponse.WriteAsync(http, chosen, content)
        : ProblemResponse.WriteAsync(http, problem, error);
}
