using PolyType;
using StreamJsonRpc;

namespace Weir.Lab.NetPeers.OnStreamJsonRpc;

/// <summary>Document 003's task as a contract.</summary>
[JsonRpcContract]
[GenerateShape(IncludeMethods = MethodShapeFlags.PublicInstance)]
internal partial interface IRpcTasks
{
    Task<string> NothingOfAsync(int bytes);

    Task<string> LoadOfAsync(int bytes);

    Task<string> NothingAsync(byte[] data);

    Task<string> LoadAsync(byte[] data);

    Task<string> HashAsync(byte[] data);
}
