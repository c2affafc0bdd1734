using System.Collections.Concurrent;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;
using Weir.AspNetCore.Binding;
using Weir.AspNetCore.Formatting;
using Weir.AspNetCore.Problems;
using Weir.AspNetCore.Responses;
using Weir.Jobs.AspNetCore.Hosting;
using Weir.Jobs.AspNetCore.Items;
using Weir.Jobs.AspNetCore.Problems;
using Weir.Jobs.Payloads;
using Weir.Jobs.Running;
using Weir.Jobs.Storage;
using Weir.Runtime;

namespace Weir.Jobs.AspNetCore.Answers;

/// <summary>Answers with what jobs bring: what the direct call would have answered. Used concurrently.</summary>
/// <param name="services">The application.</param>
/// <param name="problems">Says why a job has no result.</param>
internal sealed class JobResults(JobServices services, JobProblems problems)
{
    // One for each operation of a kind.
    private readonly ConcurrentDictionary<Operation, Responders> _responders = new();

    /// <summary>Answers with the result of a job that has ended, or with why it has none.</summary>
    /// <param name="http">The request.</param>
    /// <param name="job">The job.</param>
    /// <param name="format">The format of the result; <c>null</c>: the request accepts it.</param>
    /// <param name="fromStart">Whether the items of a stream begin with the first, whatever the request has received of another stream.</param>
    /// <exception cref="OperationCanceledException">The request was cancelled: the middleware that cancelled it answers.</exception>
    public async Task AnswerAsync(HttpContext http, JobRecord job, IFormat? format = null, bool fromStart = false)
    {
        http.Response.Headers.CacheControl = "no-store";
        if (services.Engine.Kinds.Find(job.Kind)?.Operation is not { } operation)
        {
            await ProblemResponse.WriteAsync(http, problems.Of(null, services.Jobs.FailureOf(job) ?? StoredJobs.Unreadable(job, "this process has no operation of its kind", null), job.Id));
            return;
        }

        if (operation.ResultKind == ResultKind.Stream)
        {
            await SendItemsAsync(http, job, fromStart ? default : http.Request.Headers[LastEventId.Header], format);
            return;
        }

        if (services.Jobs.FailureOf(job) is { } failure)
        {
            await AnswerFailureAsync(http, operation, job.Id, failure);
            return;
        }

        var responders = Of(operation);
        format ??= Choose(http, operation, responders);
        if (format is null)
        {
            await RefuseFormatAsync(http, operation, responders);
            return;
        }

        if (await ReadAsync(http, operation, job) is not { } stored)
        {
            return;
        }

        using var request = services.Shared.Rent(http, format);
        request.Call = CallOf(http, operation, stored);
        try
        {
            await responders.Result.WriteAsync(request, limit: null);
        }
        catch (Exception error) when (error is not ProtocolViolationException || http.Response.HasStarted)
        {
            // A header that no response can have, or a write that failed: as for the direct call.
            await responders.Result.FailAsync(request, error);
        }
        catch (ProtocolViolationException)
        {
            // It was written by another version of the operation. As it is stored, it can be sent in JSON only.
            await ProblemResponse.WriteAsync(http, new Problem(
                StatusCodes.Status406NotAcceptable, WeirCodes.NotAcceptable, $"The result of job {job.Id} was written by another version of {operation}, and can be sent in application/json only; the request accepts another format."));
        }
    }

    /// <summary>Answers with the items of a stream, from the first or from where the request continues, until the job has ended.</summary>
    /// <param name="http">The request.</param>
    /// <param name="job">The job.</param>
    /// <param name="last">The id of the item that the request has received last; empty for none.</param>
    /// <param name="format">The format of the items; <c>null</c>: the request accepts it.</param>
    /// <exception cref="OperationCanceledException">The request was cancelled before anything was sent: the middleware that cancelled it answers.</exception>
    public async Task SendItemsAsync(HttpContext http, JobRecord job, StringValues last, IFormat? format = null)
    {
        var operation = services.Engine.Kinds.Find(job.Kind)!.Operation;
        if (last is [SseFormat.EndId])
        {
            // An EventSource reconnects after every end of a response. Only this makes it stop.
            http.Response.StatusCode = StatusCodes.Status204NoContent;
            return;
        }

        var position = ItemPosition.Of(job, last);
        if (position.Refusal is { } refusal)
        {
            await ProblemResponse.WriteAsync(http, refusal);
            return;
        }

        var responders = Of(operation);
        format ??= Choose(http, operation, responders);
        if (format is null)
        {
            await RefuseFormatAsync(http, operation, responders);
            return;
        }

        // A reader may stay long, and needs no buffers.
        using var request = services.Shared.Rent(http, format);
        request.ReturnBuffers();
        var call = (StreamCall)operation.CreateCall(operation);
        if (job.Status.State == JobState.Succeeded)
        {
            if (await ReadAsync(http, operation, job) is not { } stored)
            {
                return;
            }

            call.Context = ContextOf(http, call, stored);
        }

        await using var source = new JobItemSource(new JobItemReader(services.Engine, services.Jobs, job, position.Next), http);
        await responders.Stream.SendAsync(request, new JobFeed(problems, call, job, source, position, services.Engine.Time, services.Shared.Shutdown.Begun));
    }

    // null where it cannot be read: then the answer is written.
    private async ValueTask<StoredResult?> ReadAsync(HttpContext http, Operation operation, JobRecord job)
    {
        try
        {
            return await services.Jobs.ReadResultAsync(job, http.RequestAborted);
        }
        catch (JobException gone)
        {
            await ProblemResponse.WriteAsync(http, gone.State is null ? JobProblems.Gone(job.Id, "it was deleted") : problems.Of(operation, gone, job.Id));
            return null;
        }
    }

    private Task AnswerFailureAsync(HttpContext http, Operation operation, Guid job, Exception failure)
    {
        if (failure is OperationStatusException { Headers: { } headers } chosen)
        {
            failure = new OperationStatusException(chosen.StatusCode, chosen.Content, headers.Where(static one => MayBeKept(one.Key)).ToDictionary(StringComparer.OrdinalIgnoreCase));
        }

        var problem = problems.Of(operation, failure, job);
        return failure is JobException ? ProblemResponse.WriteAsync(http, problem) : services.Shared.AnswerAsync(http, operation, failure, problem);
    }

    // The answer is for one caller and read by others, too: no cache may have it, and a cookie was for the request that the job was made of.
    private static bool MayBeKept(string header) =>
        !(header.Equals(HeaderNames.CacheControl, StringComparison.OrdinalIgnoreCase) || header.Equals(HeaderNames.Expires, StringComparison.OrdinalIgnoreCase) || header.Equals(HeaderNames.SetCookie, StringComparison.OrdinalIgnoreCase));

    private static Call CallOf(HttpContext http, Operation operation, StoredResult stored)
    {
        var call = operation.CreateCall(operation);
        call.Context = ContextOf(http, call, stored);
        if (stored.Encoding is { } encoding)
        {
            call.SetEncodedResult(stored.Body.Span, encoding);
        }

        return call;
    }

    private static OperationContext ContextOf(HttpContext http, Call call, StoredResult stored)
    {
        var context = new OperationContext(call, http.RequestServices, http.RequestAborted, transport: http) { StatusCode = stored.Status };
        foreach (var (name, value) in stored.Headers.Where(static one => MayBeKept(one.Key)))
        {
            context.Headers[name] = value;
        }

        return context;
    }

    private static IFormat? Choose(HttpContext http, Operation operation, Responders responders) => Negotiation.Choose(operation, responders.Formats, http.Request.Headers.Accept, isByExtension: false);

    private static Task RefuseFormatAsync(HttpContext http, Operation operation, Responders responders)
    {
        http.Response.Headers.Append(HeaderNames.Vary, HeaderNames.Accept);
        return ProblemResponse.WriteAsync(http, Negotiation.Refuse(operation, responders.Formats));
    }

    private Responders Of(Operation operation) => _responders.GetOrAdd(operation, static (operation, shared) => new Responders(shared, operation), services.Shared);

    private sealed class Responders
    {
        public Responders(EndpointServices shared, Operation operation)
        {
            Formats = Formats.Of(operation);
            Result = new ResultResponder(shared, operation, Formats.Candidates.Length > 1);
            Stream = new StreamResponder(shared, operation, Formats.Candidates.Length > 1, from: null);
        }

        public Formats Formats { get; }

        public ResultResponder Result { get; }

        public StreamResponder Stream { get; }
    }
}
