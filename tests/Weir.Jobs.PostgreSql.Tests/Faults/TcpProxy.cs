using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace Weir.Jobs.PostgreSql.Tests.Faults;

/// <summary>Stands between processes and a server on 127.0.0.1, and can cut them off: their connections end, and new ones get no answer until it lets them through again.</summary>
internal sealed class TcpProxy : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _stop = new();
    private readonly ConcurrentDictionary<Socket, byte> _sockets = new();
    private readonly Task _accepting;
    private volatile int _server;
    private volatile TaskCompletionSource? _isCut;

    /// <param name="server">The port of the server.</param>
    public TcpProxy(int server)
    {
        _server = server;
        _listener.Start();
        _accepting = AcceptAsync();
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    /// <summary>Ends all connections, and lets nothing through.</summary>
    public void Cut()
    {
        _isCut = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        foreach (var socket in _sockets.Keys)
        {
            socket.Close(0);
        }
    }

    /// <summary>From now on connections lead to another server.</summary>
    public void SwitchTo(int server) => _server = server;

    /// <summary>Lets connections through again, also those that wait.</summary>
    public void Restore() => Interlocked.Exchange(ref _isCut, null)?.TrySetResult();

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        Restore();
        _listener.Stop();
        foreach (var socket in _sockets.Keys)
        {
            socket.Close(0);
        }

        await _accepting.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _stop.Dispose();
    }

    private async Task AcceptAsync()
    {
        while (!_stop.IsCancellationRequested)
        {
            _ = ServeAsync(await _listener.AcceptSocketAsync(_stop.Token));
        }
    }

    private async Task ServeAsync(Socket client)
    {
        using var server = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            _sockets.TryAdd(client, 0);
            if (_isCut is { } cut)
            {
                await cut.Task;
            }

            await server.ConnectAsync(IPAddress.Loopback, _server, _stop.Token);
            _sockets.TryAdd(server, 0);
            await Task.WhenAny(CopyAsync(client, server), CopyAsync(server, client));
        }
        catch (Exception failure) when (failure is SocketException or ObjectDisposedException or OperationCanceledException)
        {
            // One of them has left, or the proxy ends.
        }
        finally
        {
            _sockets.TryRemove(client, out _);
            _sockets.TryRemove(server, out _);
            client.Dispose();
        }
    }

    private static async Task CopyAsync(Socket from, Socket to)
    {
        var buffer = new byte[16 * 1024];
        try
        {
            while (await from.ReceiveAsync(buffer) is > 0 and var count)
            {
                for (var sent = 0; sent < count;)
                {
                    sent += await to.SendAsync(buffer.AsMemory(sent, count - sent));
                }
            }
        }
        catch (Exception failure) when (failure is SocketException or ObjectDisposedException)
        {
            // It was cut.
        }
    }
}
