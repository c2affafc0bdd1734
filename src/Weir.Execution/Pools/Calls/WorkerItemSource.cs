using Weir.Runtime;

namespace Weir.Execution.Pools.Calls;

/// <summary>The consumer's side of a stream from a worker.</summary>
internal sealed class WorkerItemSource(PoolStream stream) : EncodedItemSource
{
    public override ReadOnlyMemory<byte> Current => stream.Current;

    public override ValueTask<bool> MoveNextAsync() => stream.MoveNextAsync();

    public override ValueTask DisposeAsync()
    {
        stream.Close();
        return default;
    }
}
