using System.Net;

namespace Weir.Http.FanOut;

/// <summary>Sends each request when a limiter allows it.</summary>
internal sealed class FanOutLimitHandler(RequestLimiter limiter) : DelegatingHandler
{
    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        var call = Add(request);
        using (CancelWhileWaiting(call, cancellationToken))
        {
            await call.Started.ConfigureAwait(false);
        }

        try
        {
            AttemptCounter.CountAttempt(request);
            return Limit(call, request, await base.SendAsync(request, cancellationToken).ConfigureAwait(false));
        }
        catch
        {
            limiter.End(call);
            throw;
        }
    }

    protected override HttpResponseMessage Send(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        var call = Add(request);
        using (CancelWhileWaiting(call, cancellationToken))
        {
            call.Started.GetAwaiter().GetResult();
        }

        try
        {
            AttemptCounter.CountAttempt(request);
            return Limit(call, request, base.Send(request, cancellationToken));
        }
        catch
        {
            limiter.End(call);
            throw;
        }
    }

    private WaitingCall Add(HttpRequestMessage request)
    {
        var call = new WaitingCall();
        if (!limiter.TryAdd(HostKey.Of(request.RequestUri), call, out var starts))
        {
            throw WaitingCall.Disposed();
        }

        if (starts)
        {
            call.Start();
        }

        return call;
    }

    private CancellationTokenRegistration CancelWhileWaiting(WaitingCall call, CancellationToken cancellationToken) => cancellationToken.UnsafeRegister(
        _ =>
        {
            if (limiter.TryRemove(call))
            {
                call.Cancel(cancellationToken);
            }
        },
        null);

    // The response ends the call: at once where it has nothing to read, for code that need not dispose of it.
    private HttpResponseMessage Limit(WaitingCall call, HttpRequestMessage request, HttpResponseMessage response)
    {
        limiter.HeadersArrived(call, response);
        if (request.Method == HttpMethod.Head || response.StatusCode is HttpStatusCode.NoContent or HttpStatusCode.ResetContent or HttpStatusCode.NotModified || response.Content.Headers.ContentLength == 0)
        {
            limiter.End(call);
            return response;
        }

        response.Content = new LimitedContent(response.Content, () => limiter.End(call));
        return response;
    }

    private sealed class WaitingCall : LimitedCall
    {
        private readonly TaskCompletionSource _started = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Started => _started.Task;

        public override void Start() => _started.TrySetResult();

        public override void Drop() => _started.TrySetException(Disposed());

        public static ObjectDisposedException Disposed() => new(nameof(HttpClient), "The service provider of this client is disposed.");

        public void Cancel(CancellationToken cancellationToken) => _started.TrySetCanceled(cancellationToken);
    }
}
