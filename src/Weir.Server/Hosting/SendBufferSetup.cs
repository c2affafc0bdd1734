using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.Options;

namespace Weir.Server.Hosting;

/// <summary>Sets the send buffer on listening sockets; accepted ones inherit it.</summary>
internal sealed class SendBufferSetup(IOptions<WeirServerOptions> server) : IPostConfigureOptions<SocketTransportOptions>
{
    public void PostConfigure(string? name, SocketTransportOptions options)
    {
        if (server.Value.SocketSendBuffer is not { } size)
        {
            return;
        }

        var create = options.CreateBoundListenSocket;
        options.CreateBoundListenSocket = endpoint =>
        {
            var socket = create(endpoint);
            socket.SendBufferSize = size;
            return socket;
        };
    }
}
