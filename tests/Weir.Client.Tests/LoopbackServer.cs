using System.Net;
using System.Net.Sockets;

namespace Weir.Client.Tests;

/// <summary>Accepts connections on a free port until it is disposed.</summary>
internal abstract class LoopbackServer : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _stopping = new();
    private Task _accepting = Task.CompletedTask;

    protected CancellationToken Stopping => _stopping.Token;

    public virtual async ValueTask DisposeAsync()
    {
        await _stopping.CancelAsync();
        _listener.Stop();
        await Task.WhenAny(_accepting);
        _stopping.Dispose();
    }

    /// <summary>Begins to listen. For the constructor of a derived class, when its fields are set.</summary>
    /// <returns>The port.</returns>
    protected int Start()
    {
        _listener.Start();
        _accepting = AcceptAsync();
        return ((IPEndPoint)_listener.LocalEndpoint).Port;
    }

    /// <summary>Handles one connection, and closes it.</summary>
    protected abstract Task ServeAsync(Socket client);

    private async Task AcceptAsync()
    {
        while (true)
        {
            var client = await _listener.AcceptSocketAsync(_stopping.Token);
            _ = ServeAsync(client);
        }
    }
}
