using System.ComponentModel;
using System.Net;
using Weir.Client.Requests;
using Weir.Client.Responses;

namespace Weir.Runtime;

/// <summary>Sends the requests of generated clients and reads the responses. May be used concurrently.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class ServiceClient
{
    private const string SignatureHeader = "Weir-Signature";

    // Of one operation, behind one address, in one call.
    private const int MostVersions = 6;

    private readonly HttpClient _http;
    private readonly WeirClientOptions _options;
    private readonly Uri _address;
    private readonly CallRecorder? _recorder;

    /// <summary>A client's sender.</summary>
    /// <param name="http">Sends the requests.</param>
    /// <param name="options">How; not changed afterwards.</param>
    /// <param name="recorder">Takes the calls instead of sending them; <c>null</c> to send them.</param>
    internal ServiceClient(HttpClient http, WeirClientOptions options, CallRecorder? recorder = null)
    {
        _http = http;
        _options = options;
        _address = AddressOf(http);
        _recorder = recorder;
    }

    /// <summary>Calls an operation without a result.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Ends the request.</param>
    public async ValueTask CallAsync(ClientRequest request, CancellationToken cancellationToken)
    {
        if (_recorder is not null)
        {
            await _recorder.TakeAsync(request, codec: null, cancellationToken).ConfigureAwait(false);
        }

        using var limit = new CallLimit(request.Operation.Name, _options.Deadline, cancellationToken);
        using var response = await SendAsync(request, limit).ConfigureAwait(false);
    }

    /// <summary>Calls an operation whose result is JSON.</summary>
    /// <typeparam name="T">The result.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="codec">How the result is read.</param>
    /// <param name="cancellationToken">Ends the request.</param>
#if NET
    [System.Runtime.CompilerServices.AsyncMethodBuilder(typeof(System.Runtime.CompilerServices.PoolingAsyncValueTaskMethodBuilder<>))]
#endif
    public async ValueTask<T> CallAsync<T>(ClientRequest request, ClientValue<T> codec, CancellationToken cancellationToken)
    {
        if (_recorder is not null)
        {
            await _recorder.TakeAsync(request, codec, cancellationToken).ConfigureAwait(false);
        }

        using var limit = new CallLimit(request.Operation.Name, _options.Deadline, cancellationToken);
        using var response = await SendAsync(request, limit).ConfigureAwait(false);
        using var body = await ReadAsync(response, request, limit).ConfigureAwait(false);
        return ResponseValue.Read(request.Operation.Name, response, body.Span, codec);
    }

    /// <summary>Calls an operation whose result is bytes as they are.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Ends the request.</param>
    public async ValueTask<byte[]> CallBytesAsync(ClientRequest request, CancellationToken cancellationToken)
    {
        if (_recorder is not null)
        {
            await _recorder.TakeAsync(request, Base64Value.Instance, cancellationToken).ConfigureAwait(false);
        }

        using var limit = new CallLimit(request.Operation.Name, _options.Deadline, cancellationToken);
        using var response = await SendAsync(request, limit).ConfigureAwait(false);
        using var body = await ReadAsync(response, request, limit).ConfigureAwait(false);
        return ResponseValue.ReadBytes(request.Operation.Name, response, body.Span);
    }

    /// <summary>Calls an operation whose result is bytes as they are.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Ends the request.</param>
    public async ValueTask<ReadOnlyMemory<byte>> CallMemoryAsync(ClientRequest request, CancellationToken cancellationToken) =>
        await CallBytesAsync(request, cancellationToken).ConfigureAwait(false);

    /// <summary>Calls an operation whose result is a stream of bytes. The caller disposes it, which ends the request.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Ends the request, until the stream is returned and while it is read.</param>
    public async ValueTask<Stream> OpenAsync(ClientRequest request, CancellationToken cancellationToken) =>
        await OpenAsync(request, mayBeNothing: false, cancellationToken).ConfigureAwait(false) ?? Stream.Null;

    /// <summary>As <see cref="OpenAsync(ClientRequest, CancellationToken)"/>, of an operation that may return null: a response without content.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Ends the request, until the stream is returned and while it is read.</param>
    public ValueTask<Stream?> OpenOrNullAsync(ClientRequest request, CancellationToken cancellationToken) => OpenAsync(request, mayBeNothing: true, cancellationToken);

    private async ValueTask<Stream?> OpenAsync(ClientRequest request, bool mayBeNothing, CancellationToken cancellationToken)
    {
        if (_recorder is not null)
        {
            await _recorder.TakeAsync(request, codec: null, cancellationToken).ConfigureAwait(false);
        }

        var limit = new CallLimit(request.Operation.Name, _options.Deadline, cancellationToken);
        HttpResponseMessage? response = null;
        try
        {
            response = await SendAsync(request, limit).ConfigureAwait(false);
            if (mayBeNothing && response.StatusCode == HttpStatusCode.NoContent)
            {
                response.Dispose();
                limit.Dispose();
                return null;
            }

            return new DownloadedStream(await ResponseStreams.OpenAsync(response, limit.Token).ConfigureAwait(false), response, request.Operation.Name, _options.IdleTimeout, limit);
        }
        catch
        {
            response?.Dispose();
            limit.Dispose();
            throw;
        }
    }

    /// <summary>Calls an operation that yields items. Each enumeration is a request of its own, and disposing of its enumerator ends it.</summary>
    /// <typeparam name="T">The item.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="codec">How an item is read.</param>
    /// <param name="cancellationToken">Ends the request.</param>
    public IAsyncEnumerable<T> StreamAsync<T>(ClientRequest request, ClientValue<T> codec, CancellationToken cancellationToken) =>
        _recorder?.TakeStream(request, codec, cancellationToken) ?? new ReceivedItems<T>(this, request, codec, Resumption.None, 0, cancellationToken);

    /// <summary>As <see cref="StreamAsync{T}"/>, of an operation that continues from an index on: the client continues it by itself after a cut.</summary>
    /// <typeparam name="T">The item.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="codec">How an item is read.</param>
    /// <param name="from">The index of the first item.</param>
    /// <param name="cancellationToken">Ends the request.</param>
    public IAsyncEnumerable<T> ResumeAsync<T>(ClientRequest request, ClientValue<T> codec, long from, CancellationToken cancellationToken) =>
        _recorder?.TakeStream(request, codec, cancellationToken) ?? new ReceivedItems<T>(this, request, codec, Resumption.Source, from, cancellationToken);

    /// <summary>As <see cref="StreamAsync{T}"/>, of an operation whose items the server keeps for a while: the client continues it by itself after a cut.</summary>
    /// <typeparam name="T">The item.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="codec">How an item is read.</param>
    /// <param name="cancellationToken">Ends the request.</param>
    public IAsyncEnumerable<T> ResumeAsync<T>(ClientRequest request, ClientValue<T> codec, CancellationToken cancellationToken) =>
        _recorder?.TakeStream(request, codec, cancellationToken) ?? new ReceivedItems<T>(this, request, codec, Resumption.Buffer, 0, cancellationToken);

    /// <summary>Calls an operation that yields bytes: they come as they arrive, not in the pieces that the operation yielded.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Ends the request.</param>
    public IAsyncEnumerable<ReadOnlyMemory<byte>> StreamAsync(ClientRequest request, CancellationToken cancellationToken) =>
        _recorder?.TakeStream(request, Base64Value.Instance, cancellationToken) ?? new ReceivedBytes(this, request, cancellationToken);

    internal WeirClientOptions Options => _options;

    /// <summary>How long a response may take to begin; negative for no limit.</summary>
    internal TimeSpan RequestTimeout => _http.Timeout;

    /// <summary>Where a path leads: below the client's address, or on its host where the path begins with a slash. Never to another host.</summary>
    internal Uri AddressOf(string path) => path.StartsWith("/", StringComparison.Ordinal)
        ? new UriBuilder(_address) { Path = path, Query = "" }.Uri
        : new UriBuilder(_address) { Path = _address.AbsolutePath + path, Query = "" }.Uri;

    /// <summary>Sends a request and returns the response once its headers are there, if it is a success.</summary>
    /// <exception cref="WeirException">The server answered with a problem; or what the operation declares by <see cref="ThrowsAttribute"/>.</exception>
    /// <param name="request">The request.</param>
    /// <param name="limit">What ends it.</param>
    /// <param name="after">Of a stream that continues, the id of the last item that was received; <c>null</c> otherwise.</param>
#if NET
    [System.Runtime.CompilerServices.AsyncMethodBuilder(typeof(System.Runtime.CompilerServices.PoolingAsyncValueTaskMethodBuilder<>))]
#endif
    internal async ValueTask<HttpResponseMessage> SendAsync(ClientRequest request, CallLimit limit, string? after = null)
    {
        var operation = request.Operation;
        var isSentOnce = request.IsSentOnce;
        for (var attempt = 1; ; attempt++)
        {
            var response = await SendOnceAsync(request, limit, after, operation.Accept(isSentOnce)).ConfigureAwait(false);
            if (response.IsSuccessStatusCode)
            {
                // A server says by which contract it answered; something in between may have taken that out.
                if (AnsweredBy(response) is { } signature && !operation.Knows(signature))
                {
                    await JudgeAnswerAsync(response, signature, request, limit).ConfigureAwait(false);
                }

                if (response.StatusCode == HttpStatusCode.Accepted && !request.IsSubmission && operation.IsAlwaysJob)
                {
                    using (response)
                    {
                        throw new UnexpectedResponseException(
                            $"{operation.Name} answered with a job, {response.Headers.Location}, as it always does ([Job(Respond = JobRespond.Always)]): it is stored, and runs later. Submit it with IJobs<T> of AddJobs, whose handle has the result. See {WeirCodes.UnexpectedResponse}.");
                    }
                }

                return response;
            }

            using (response)
            {
                using var body = await ReadProblemAsync(response, limit).ConfigureAwait(false);
                var problem = ProblemReader.Read(response, body.Span);
                request.RefusedAt = response.Headers.Location;
                if (problem is not { Status: (int)HttpStatusCode.PreconditionFailed, Code: WeirCodes.ContractChanged } || isSentOnce)
                {
                    throw operation.ToException(problem);
                }

                // Nothing has run. Behind one address there may be several versions.
                operation.Add(ProblemReader.Judge(operation, body.Span, hasRun: false));
                if (attempt == MostVersions)
                {
                    throw new ContractChangedException(operation.Name, ["the server has another contract of it at each attempt"]);
                }
            }
        }
    }

    // The server has answered by a contract that the client does not know: to a body that is sent once, or by way of a cache. A request that no server runs
    // asks for the contract.
    private async ValueTask JudgeAnswerAsync(HttpResponseMessage response, string signature, ClientRequest request, CallLimit limit)
    {
        try
        {
            for (var attempt = 1; attempt <= MostVersions; attempt++)
            {
                using var asked = await SendOnceAsync(request, limit, after: null, KnownSignatures.AcceptOfNone, isQuestion: true).ConfigureAwait(false);
                using var body = await ReadProblemAsync(asked, limit).ConfigureAwait(false);
                if (ProblemReader.Read(asked, body.Span) is not { Status: (int)HttpStatusCode.PreconditionFailed, Code: WeirCodes.ContractChanged })
                {
                    break;
                }

                if (ProblemReader.SignatureIn(request.Operation, body.Span) == signature)
                {
                    request.Operation.Add(ProblemReader.Judge(request.Operation, body.Span, hasRun: true));
                    return;
                }
            }

            throw new ContractChangedException(request.Operation.Name, [$"the server answered by another contract of it, {signature}, and does not say which"], hasRun: true);
        }
        catch
        {
            response.Dispose();
            throw;
        }
    }

    private static string? AnsweredBy(HttpResponseMessage response)
    {
#if NET
        return response.Headers.NonValidated.TryGetValues(SignatureHeader, out var values) ? values.ToString() : null;
#else
        return response.Headers.TryGetValues(SignatureHeader, out var values) ? string.Join(", ", values) : null;
#endif
    }

#if NET
    [System.Runtime.CompilerServices.AsyncMethodBuilder(typeof(System.Runtime.CompilerServices.PoolingAsyncValueTaskMethodBuilder<>))]
#endif
    private async ValueTask<HttpResponseMessage> SendOnceAsync(ClientRequest request, CallLimit limit, string? after, string accept, bool isQuestion = false)
    {
        using var message = request.ToMessage(_http, _address, accept, hasBody: !isQuestion);
        limit.AddHeader(message);
        if (isQuestion)
        {
            // No cache has an answer to it.
            message.Headers.TryAddWithoutValidation("Cache-Control", "no-cache");
            var uri = message.RequestUri!;
            message.RequestUri = new Uri($"{uri.AbsoluteUri}{(uri.Query.Length > 0 ? '&' : '?')}weir-question={Guid.NewGuid():N}");
        }

        if (after is not null)
        {
            message.Headers.TryAddWithoutValidation("Last-Event-ID", after);
        }

        try
        {
            return await _http.SendAsync(message, HttpCompletionOption.ResponseHeadersRead, limit.Token).ConfigureAwait(false);
        }
        catch (Exception error)
        {
            limit.ThrowIfReached(error);
            Rethrow(request.ItemsError);
            throw;
        }
    }

#if NET
    [System.Runtime.CompilerServices.AsyncMethodBuilder(typeof(System.Runtime.CompilerServices.PoolingAsyncValueTaskMethodBuilder<>))]
#endif
    internal async ValueTask<ResponseBody> ReadAsync(HttpResponseMessage response, ClientRequest request, CallLimit limit)
    {
        try
        {
            return await ResponseBody.ReadAsync(response, request.Operation.Name, _options.IdleTimeout, _options.MaxResultBytes, limit.Token).ConfigureAwait(false);
        }
        catch (Exception error)
        {
            limit.ThrowIfReached(error);
            if (error is IOException or InvalidDataException or ObjectDisposedException)
            {
                // As HttpClient itself reports it where it reads the body.
                throw new HttpRequestException($"The response of {request.Operation.Name} was cut: {error.Message}", error);
            }

            throw;
        }
    }

    // A problem whose text cannot be read is still a problem: its status says which.
    private async ValueTask<ResponseBody> ReadProblemAsync(HttpResponseMessage response, CallLimit limit)
    {
        try
        {
            return await ResponseBody.ReadAsync(response, "a problem", _options.IdleTimeout, ProblemReader.LargestBody, limit.Token).ConfigureAwait(false);
        }
        catch (Exception error) when (error is IOException or InvalidDataException or HttpRequestException or TimeoutException or UnexpectedResponseException)
        {
            return default;
        }
        catch (Exception error)
        {
            limit.ThrowIfReached(error);
            throw;
        }
    }

    private static void Rethrow(Exception? error)
    {
        if (error is not null)
        {
            System.Runtime.ExceptionServices.ExceptionDispatchInfo.Capture(error).Throw();
        }
    }

    // Paths are relative to it: without a slash at its end, its last segment would be replaced.
    private static Uri AddressOf(HttpClient http)
    {
        var address = http.BaseAddress ?? throw new InvalidOperationException(
            "The HttpClient has no BaseAddress: set it to where the services are, new Uri(\"https://shop.example\"), with the prefix of MapWeir if that has one.");
        return address.AbsolutePath.EndsWith("/", StringComparison.Ordinal) ? address : new UriBuilder(address) { Path = address.AbsolutePath + "/", Query = "", Fragment = "" }.Uri;
    }
}
