using Weir.Runtime;

namespace Weir.Execution.Pools.Calls;

/// <summary>The consumer's side of a stream from a worker.</summary>
internal sealed class WorkerItemSource(ItemPipe pipe) : EncodedItemSource
{
    public override ReadOnlyMemory<byte> Current => pipe.Current;

    public override ValueTask<bool> MoveNextAsync() => pipe.MoveNextAsync();

    public override ValueTask DisposeAsync()
    {
        pipe.Close();
        return default;
    }
}
