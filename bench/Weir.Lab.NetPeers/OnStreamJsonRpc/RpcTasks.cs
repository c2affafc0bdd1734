using Weir.Lab.Isolation;

namespace Weir.Lab.NetPeers.OnStreamJsonRpc;

/// <summary>Document 003's task in a worker. A connection's requests are begun one after the other, and these end where they begin.</summary>
internal sealed class RpcTasks : IRpcTasks
{
    public Task<string> NothingOfAsync(int bytes) => Task.FromResult(new HelloTask().DoTask(TaskKind.Nothing, bytes));

    public Task<string> LoadOfAsync(int bytes) => Task.FromResult(new HelloTask().DoTask(TaskKind.Load, bytes));

    public Task<string> NothingAsync(byte[] data) => Task.FromResult("");

    public Task<string> LoadAsync(byte[] data) => Task.FromResult(new HelloTask().DoTask(TaskKind.Load, data));

    public Task<string> HashAsync(byte[] data) => Task.FromResult(new HelloTask().DoTask(TaskKind.Hash, data));
}
