using Microsoft.Extensions.DependencyInjection;
using Weir.Runtime;

namespace Weir.Execution.Pipeline;

/// <summary>What the result of a call from code needs until its reader disposes it: what the call holds, then the scope of the call.</summary>
internal sealed class CallResources(Call call, AsyncServiceScope scope) : IAsyncDisposable, IDisposable
{
    public async ValueTask DisposeAsync()
    {
        try
        {
            await call.ReleaseAsync();
        }
        finally
        {
            await scope.DisposeAsync();
        }
    }

    /// <summary>The same for a reader that blocks.</summary>
    public void Dispose() => DisposeAsync().AsTask().GetAwaiter().GetResult();
}
