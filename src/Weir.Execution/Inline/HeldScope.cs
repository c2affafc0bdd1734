using Microsoft.Extensions.DependencyInjection;
using Weir.Runtime;

namespace Weir.Execution.Inline;

/// <summary>What content of an isolated operation that ran in the host still needs: what its executor held, its scope, and its pool, which does not end before.</summary>
/// <param name="scope">Of the pool's services; <c>null</c> where there is none.</param>
/// <param name="pool">The pool.</param>
internal sealed class HeldScope(AsyncServiceScope? scope, InlinePool pool) : IAsyncDisposable
{
    private IAsyncDisposable? _inner;

    /// <summary>Takes the place of what the call holds, and disposes it first.</summary>
    /// <param name="call">Its operation has returned.</param>
    /// <param name="content">The result.</param>
    public ValueTask HoldAsync(Call call, object content)
    {
        _inner = call.Hold(this, content);
        if (!ReferenceEquals(_inner, this))
        {
            return default;
        }

        // The call was released before: with it what its executor held.
        _inner = null;
        return DisposeAsync();
    }

    public async ValueTask DisposeAsync()
    {
        try
        {
            if (_inner is { } inner)
            {
                await inner.DisposeAsync();
            }
        }
        finally
        {
            try
            {
                if (scope is { } made)
                {
                    await made.DisposeAsync();
                }
            }
            finally
            {
                pool.End();
            }
        }
    }
}
