using System.Net;
using System.Threading.Channels;
using Microsoft.AspNetCore.Connections;

namespace Weir.Lab.Contenders.InMemory;

/// <summary>Connections made of two pipes: what a server costs without the kernel.</summary>
internal sealed class InMemoryTransport : IConnectionListenerFactory, IConnectionListener
{
    // Bounded by the connections a contender opens to itself.
    private readonly Channel<ConnectionContext> _opened = Channel.CreateUnbounded<ConnectionContext>();

    public EndPoint EndPoint { get; private set; } = new IPEndPoint(IPAddress.Loopback, 0);

    public ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default)
    {
        EndPoint = endpoint;
        return ValueTask.FromResult<IConnectionListener>(this);
    }

    /// <summary>Opens a connection to the server that listens here.</summary>
    public InMemoryConnection Connect()
    {
        var connection = new InMemoryConnection();
        _opened.Writer.TryWrite(connection);
        return connection;
    }

    public async ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default) =>
        await _opened.Reader.WaitToReadAsync(cancellationToken) && _opened.Reader.TryRead(out var connection)
            ? connection
            : null;

    public ValueTask UnbindAsync(CancellationToken cancellationToken = default)
    {
        _opened.Writer.TryComplete();
        return ValueTask.CompletedTask;
    }

    public ValueTask DisposeAsync() => UnbindAsync();
}
