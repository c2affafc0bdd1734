using System.Net;
using System.Net.Sockets;

namespace Weir.Client.Tests;

/// <summary>Passes connections on to a server, and cuts each after some bytes of its responses: closed in order, or reset.</summary>
internal sealed class CuttingProxy : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _stopping = new();
    private readonly Uri _target;
    private readonly Func<(long Bytes, bool IsReset)> _cut;
    private readonly Task _accepting;

    /// <param name="target">The server.</param>
    /// <param name="cut">Where the next connection is cut.</param>
    internal CuttingProxy(Uri target, Func<(long Bytes, bool IsReset)> cut)
    {
        _target = target;
        _cut = cut;
        _listener.Start();
        Address = new UriBuilder(target) { Port = ((IPEndPoint)_listener.LocalEndpoint).Port }.Uri;
        _accepting = AcceptAsync();
    }

    /// <summary>The server's address through the proxy.</summary>
    internal Uri Address { get; }

    public async ValueTask DisposeAsync()
    {
        await _stopping.CancelAsync();
        _listener.Stop();
        await Task.WhenAny(_accepting);
        _stopping.Dispose();
    }

    private async Task AcceptAsync()
    {
        while (true)
        {
            var client = await _listener.AcceptSocketAsync(_stopping.Token);
            _ = PassAsync(client);
        }
    }

    private async Task PassAsync(Socket client)
    {
        using var server = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        client.NoDelay = true;
        try
        {
            await server.ConnectAsync(_target.Host, _target.Port, _stopping.Token);
            var (left, isReset) = _cut();
            var up = CopyAsync(client, server, long.MaxValue);
            await CopyAsync(server, client, left);
            client.LingerState = new LingerOption(isReset, 0);
            if (!isReset)
            {
                client.Shutdown(SocketShutdown.Both);
            }

            client.Dispose();
            server.Dispose();
            await Task.WhenAny(up);
        }
        catch (Exception error) when (error is SocketException or OperationCanceledException or ObjectDisposedException)
        {
            client.Dispose();
        }
    }

    private async Task CopyAsync(Socket from, Socket to, long left)
    {
        var buffer = new byte[16 * 1024];
        while (left > 0)
        {
            var count = await from.ReceiveAsync(buffer.AsMemory(0, (int)Math.Min(left, buffer.Length)), _stopping.Token);
            if (count == 0)
            {
                return;
            }

            for (var sent = 0; sent < count;)
            {
                sent += await to.SendAsync(buffer.AsMemory(sent, count - sent), _stopping.Token);
            }

            left -= count;
        }
    }
}
