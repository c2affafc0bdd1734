using System.Net.Sockets;

namespace Weir.Client.Tests;

/// <summary>Passes connections on to a server, and cuts each after some bytes of its responses: closed in order, or reset.</summary>
internal sealed class CuttingProxy : LoopbackServer
{
    private readonly Uri _target;
    private readonly Func<(long Bytes, bool IsReset)> _cut;

    /// <param name="target">The server.</param>
    /// <param name="cut">Where the next connection is cut.</param>
    internal CuttingProxy(Uri target, Func<(long Bytes, bool IsReset)> cut)
    {
        _target = target;
        _cut = cut;
        Address = new UriBuilder(target) { Port = Start() }.Uri;
    }

    /// <summary>The server's address through the proxy.</summary>
    internal Uri Address { get; }

    protected override async Task ServeAsync(Socket client)
    {
        using var server = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        client.NoDelay = true;
        try
        {
            await server.ConnectAsync(_target.Host, _target.Port, Stopping);
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
            var count = await from.ReceiveAsync(buffer.AsMemory(0, (int)Math.Min(left, buffer.Length)), Stopping);
            if (count == 0)
            {
                return;
            }

            for (var sent = 0; sent < count;)
            {
                sent += await to.SendAsync(buffer.AsMemory(sent, count - sent), Stopping);
            }

            left -= count;
        }
    }
}
