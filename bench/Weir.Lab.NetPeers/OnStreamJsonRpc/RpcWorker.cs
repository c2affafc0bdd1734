using System.Net.Sockets;
using StreamJsonRpc;
using Weir.Lab.Isolation;

namespace Weir.Lab.NetPeers.OnStreamJsonRpc;

/// <summary>The process on the other side of a connection.</summary>
internal static class RpcWorker
{
    /// <summary><c>path</c> is that of the host's Unix socket. Ends with the connection.</summary>
    public static async Task RunAsync(ControlLine settings)
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await socket.ConnectAsync(new UnixDomainSocketEndPoint(settings["path"]));
        using var rpc = new JsonRpc(RpcConnection.Over(socket));
        rpc.AddLocalRpcTarget<IRpcTasks>(new RpcTasks(), null);
        rpc.StartListening();
        await rpc.Completion;
    }
}
