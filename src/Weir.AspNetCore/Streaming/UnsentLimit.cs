using System.Net.Sockets;
using System.Runtime.InteropServices;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;

namespace Weir.AspNetCore.Streaming;

/// <summary>
/// Limits what the kernel takes for a connection beyond what it can send. Without it Linux takes megabytes for a reader that has
/// stopped reading. A limit of the send buffer itself would also limit what is on the network, and so the speed of distant readers.
/// </summary>
internal static class UnsentLimit
{
    private const int Tcp = 6;
    private const int NotSentLowWaterMark = 25;

    /// <summary>
    /// Sets the limit on the request's connection, if that is a TCP connection of this process. Streams of one connection may do so at the
    /// same time: all set the same value, and setting it again costs less than remembering that it is set.
    /// </summary>
    /// <returns>The connection's socket, where it is set; <c>null</c> otherwise.</returns>
    internal static Socket? Set(HttpContext http, int bytes)
    {
        if (!OperatingSystem.IsLinux() || http.Features.Get<IConnectionSocketFeature>()?.Socket is not { AddressFamily: AddressFamily.InterNetwork or AddressFamily.InterNetworkV6 } socket)
        {
            return null;
        }

        try
        {
            socket.SetRawSocketOption(Tcp, NotSentLowWaterMark, MemoryMarshal.AsBytes(new ReadOnlySpan<int>(in bytes)));
            return socket;
        }
        catch (Exception error) when (error is SocketException or ObjectDisposedException)
        {
            // The connection is closed already, or the kernel does not know the option: the stream is not worse than any other response.
            return null;
        }
    }

    /// <summary>Whether the operating system takes more for the connection now; always true for a closed connection.</summary>
    internal static bool TakesMore(Socket socket)
    {
        try
        {
            return socket.Poll(0, SelectMode.SelectWrite);
        }
        catch (Exception error) when (error is SocketException or ObjectDisposedException)
        {
            return true;
        }
    }
}
