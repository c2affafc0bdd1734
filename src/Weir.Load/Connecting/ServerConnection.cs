using System.Net;
using System.Net.Sockets;

namespace Weir.Load.Connecting;

/// <summary>A connection of a client to the server, without TLS.</summary>
internal static class ServerConnection
{
    /// <summary>Opens one. Throws a <see cref="SocketException"/> when the server refuses it.</summary>
    public static async ValueTask<Stream> OpenAsync(IPEndPoint server, CancellationToken cancellationToken)
    {
        var socket = new Socket(server.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            await socket.ConnectAsync(server, cancellationToken).ConfigureAwait(false);
            return new NetworkStream(socket, ownsSocket: true);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
