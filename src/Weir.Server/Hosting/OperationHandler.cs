using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Weir.Server.Binding;
using Weir.Server.Errors;
using Weir.Server.Formatting;
using Weir.Server.Requests;
using Weir.Server.Streaming;

namespace Weir.Server.Hosting;

/// <summary>
/// Answers the requests of one operation: verb, origin, format, arguments, then the call. Authorisation has happened.
/// Immutable; used concurrently.
/// </summary>
internal sealed class OperationHandler
{
    private readonly HttpDoor _door;
    private readonly Operation _operation;
    private readonly Formats _formats;
    private readonly bool _isByExtension;
    private readonly AllowedVerbs _verbs;
    private readonly RequestBinder _binder;
    private readonly RequestItems? _items;
    private readonly ResultAnswer _result;
    private readonly StreamAnswer _stream;

    /// <param name="door">What is shared.</param>
    /// <param name="operation">Whose requests.</param>
    /// <param name="formats">What it can answer in at this path.</param>
    /// <param name="isByExtension">Whether the path named the format, so that <c>Accept</c> cannot refuse it.</param>
    internal OperationHandler(HttpDoor door, Operation operation, Formats formats, bool isByExtension)
    {
        _door = door;
        _operation = operation;
        _formats = formats;
        _isByExtension = isByExtension;
        _verbs = new AllowedVerbs(operation.Verbs);
        _binder = new RequestBinder(operation);
        _items = operation.StreamsRequest ? new RequestItems(operation, door.Requests) : null;
        _result = new ResultAnswer(door, operation, !isByExtension && formats.Candidates.Length > 1);
        _stream = new StreamAnswer(door, operation);
    }

    /// <summary>The endpoint's delegate.</summary>
    internal Task InvokeAsync(HttpContext http)
    {
        // 1. The verb.
        var method = http.Request.Method;
        if (!_verbs.Contains(method))
        {
            return AnswerVerb(http, method);
        }

        // 2. The origin: a page of another site may only read.
        var isSafe = AllowedVerbs.IsSafe(method);
        if (!isSafe && CrossSite.Sent(http))
        {
            return GuardAsync(http);
        }

        return NegotiateAsync(http, isSafe);
    }

    private async Task GuardAsync(HttpContext http)
    {
        if (await CrossSite.IsAllowedAsync(http))
        {
            await NegotiateAsync(http, isSafe: false);
            return;
        }

        await ProblemResponse.WriteAsync(http, new Problem(
            403,
            WeirCodes.CrossSiteRefused,
            $"A page of another site sent {http.Request.Method} to {_operation}. If that is wanted, allow its origin by the endpoint's CORS metadata (RequireCors) or the default CORS policy."));
    }

    private Task NegotiateAsync(HttpContext http, bool isSafe)
    {
        // 3. The format, before anything runs.
        var format = ChooseFormat(http.Request.Headers);
        if (format is null)
        {
            return ProblemResponse.WriteAsync(http, new Problem(
                406, WeirCodes.NotAcceptable, $"{_operation} answers {_formats.Describe()}; the request accepts none of them."));
        }

        if (format is SseFormat && http.Request.Headers["Last-Event-ID"] is [SseFormat.EndId])
        {
            // An EventSource reconnects after every end of a response; only this makes it stop.
            http.Response.StatusCode = StatusCodes.Status204NoContent;
            return Task.CompletedTask;
        }

        // 4. The arguments.
        var buffers = _door.Rent();
        buffers.Arguments.Start(http.Request.QueryString.Value, _door.Options.RefuseUnknownArguments);
        if (_items is not null)
        {
            return StreamBodyAsync(http, format, buffers, _items);
        }

        if (!isSafe && RequestBody.MayExist(http))
        {
            return ReadBodyAsync(http, format, buffers);
        }

        if (!isSafe)
        {
            _binder.AddRaw(buffers);
        }

        return BindAsync(http, format, buffers);
    }

    private IFormat? ChooseFormat(IHeaderDictionary headers)
    {
        if (_operation.ResultKind == ResultKind.None || (_isByExtension && _formats.Candidates.Length == 1))
        {
            return _formats.Candidates[0];
        }

        var chosen = Negotiation.Choose(_formats, headers.Accept);
        return chosen is null && _isByExtension ? _formats.Candidates[0] : chosen;
    }

    private async Task ReadBodyAsync(HttpContext http, IFormat format, CallBuffers buffers)
    {
        Problem? problem;
        try
        {
            problem = await _binder.ReadAsync(http.Request, buffers);
        }
        catch (BadHttpRequestException error)
        {
            problem = UnreadableBody.Describe(error);
        }
        catch (PayloadTooLargeException error)
        {
            problem = new Problem(413, WeirCodes.BodyTooLarge, error.Message);
        }
        catch (Exception error) when (error is InvalidDataException or InvalidOperationException)
        {
            // A middleware of the application unpacks bodies; each coding has its own word for what does not unpack.
            problem = UnreadableBody.Describe(error);
        }
        catch (Exception error) when (error is OperationCanceledException or ConnectionResetException || (error is IOException && http.RequestAborted.IsCancellationRequested))
        {
            // Left in the middle of sending.
            _door.Log.CallerLeft(_operation.FullName);
            http.Response.StatusCode = ProblemMapping.ClientClosedRequest;
            return;
        }

        if (problem is null)
        {
            _binder.AddRaw(buffers);
            await BindAsync(http, format, buffers);
            return;
        }

        _door.Return(buffers);
        await ProblemResponse.WriteAsync(http, problem);
    }

    private async Task StreamBodyAsync(HttpContext http, IFormat format, CallBuffers buffers, RequestItems opener)
    {
        var (items, problem) = opener.Open(http);
        if (items is null)
        {
            _door.Return(buffers);
            await ProblemResponse.WriteAsync(http, problem!);
            return;
        }

        await using (items)
        {
            await BindAsync(http, format, buffers, items);
        }
    }

    // Gives the buffers back.
    private Task BindAsync(HttpContext http, IFormat format, CallBuffers buffers, ItemReader? items = null)
    {
        var faults = buffers.Arguments.Faults;
        var limit = DeadlineHeader.Read(http.Request.Headers, faults);
        var call = _operation.RentCall();
        try
        {
            call.Bind(buffers.Arguments);
        }
        catch (Exception error)
        {
            // Binding throws nothing of its own: a type of the operation's refused its values in a constructor or setter.
            return _door.FailAsync(http, _operation, error);
        }

        if (faults.Count > 0)
        {
            var problem = ProblemMapping.From(new BindingException(faults.ToArray()), includeDetails: false);
            _door.Return(buffers);
            return ProblemResponse.WriteAsync(http, problem);
        }

        if (items is not null)
        {
            call.TakeItems(items);
        }

        // 5. The call.
        if (call is not StreamCall stream)
        {
            return _result.RunAsync(http, (IResultFormat)format, call, buffers, limit);
        }

        if (!buffers.IsBodyLent)
        {
            // A stream may last for ever; what bound its arguments need not.
            _door.Return(buffers);
            return _stream.RunAsync(http, (IStreamFormat)format, stream, null, limit);
        }

        return StreamAsync(http, (IStreamFormat)format, stream, buffers, limit);
    }

    private async Task StreamAsync(HttpContext http, IStreamFormat format, StreamCall stream, CallBuffers buffers, TimeSpan? limit)
    {
        await _stream.RunAsync(http, format, stream, buffers, limit);
        _door.Return(buffers);
    }

    private Task AnswerVerb(HttpContext http, string method)
    {
        if (!HttpMethods.IsOptions(method))
        {
            var problem = new Problem(405, WeirCodes.MethodNotAllowed, $"{_operation} answers {_verbs.Header}, not {method}.");
            return ProblemResponse.WriteAsync(http, problem with { Allow = _verbs.Header });
        }

        http.Response.StatusCode = StatusCodes.Status204NoContent;
        http.Response.Headers.Allow = _verbs.Header;
        return Task.CompletedTask;
    }
}
