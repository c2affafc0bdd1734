using Microsoft.AspNetCore.Http.Features;

namespace Weir.AspNetCore.RequestStreams;

/// <summary>
/// The lifetime of a request whose body its operation reads while it runs. An abort first returns the body to the server:
/// Kestrel's reader refuses that after an abort.
/// </summary>
/// <param name="server">The server's own.</param>
/// <param name="items">What reads the body.</param>
internal sealed class StreamedRequestLifetime(IHttpRequestLifetimeFeature server, HttpItemReader items) : IHttpRequestLifetimeFeature
{
    public CancellationToken RequestAborted
    {
        get => server.RequestAborted;
        set => server.RequestAborted = value;
    }

    public void Abort() => items.Abort(server);
}
