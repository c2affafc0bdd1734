namespace Weir.Cli.Fetch;

/// <summary>Counts the requests that were sent, and sends none after an interruption.</summary>
internal sealed class InterruptHandler(HttpMessageHandler inner, CancellationToken interrupted) : DelegatingHandler(inner)
{
    private long _sent;

    /// <summary>Requests that were sent.</summary>
    public long Sent => Volatile.Read(ref _sent);

    protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        if (interrupted.IsCancellationRequested)
        {
            return Task.FromCanceled<HttpResponseMessage>(interrupted);
        }

        Interlocked.Increment(ref _sent);
        return base.SendAsync(request, cancellationToken);
    }
}
