using System.Net.Sockets;
using StreamJsonRpc;

namespace Weir.Lab.NetPeers.OnStreamJsonRpc;

/// <summary>What StreamJsonRpc's documentation calls its fastest combination: Nerdbank.MessagePack, and a header of the length.</summary>
internal static class RpcConnection
{
    public static LengthHeaderMessageHandler Over(Socket socket)
    {
        var stream = new NetworkStream(socket, ownsSocket: true);
        return new LengthHeaderMessageHandler(
            stream, stream, new NerdbankMessagePackFormatter { TypeShapeProvider = PolyType.SourceGenerator.TypeShapeProvider_Weir_Lab_NetPeers.Default });
    }
}
