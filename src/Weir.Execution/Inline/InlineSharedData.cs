using System.Buffers;
using Weir.Execution.Pools.Shared;
using Weir.Execution.Threading;
using Weir.Worker.Start;

namespace Weir.Execution.Inline;

/// <summary>What the workers of a pool would share, for its services in the host: read by the first use, which blocks, and mapped while the process lives. Any thread.</summary>
/// <param name="pool">The pool's name.</param>
/// <param name="data">Its shared data.</param>
/// <param name="stopping">Ends a reading that is not needed any more.</param>
internal sealed class InlineSharedData(string pool, SharedDataSet data, CancellationToken stopping)
{
    private readonly RetryingLazy<SharedDataViews> _views = new(() => Open(pool, data, stopping));

    public ReadOnlySequence<byte> Read(string name) => _views.Value.Read(name);

    // The pool keeps it from here on: this use ends at once.
    private static SharedDataViews Open(string pool, SharedDataSet data, CancellationToken stopping)
    {
        data.UseAsync(stopping).GetAwaiter().GetResult();
        try
        {
            return new SharedDataViews(pool, [.. data.Blocks.Select(static block => block.AsOpenedHere())], static (_, _) => 0);
        }
        finally
        {
            data.Release();
        }
    }
}
