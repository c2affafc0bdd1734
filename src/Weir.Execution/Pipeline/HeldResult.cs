using System.IO.Pipelines;

namespace Weir.Execution.Pipeline;

/// <summary>What an operation returned, and the instance that it may read from: disposed when the result was used. A filter may have replaced the result since then.</summary>
/// <param name="result">What the operation returned.</param>
/// <param name="instance">The service's instance; <c>null</c> where it outlives the call.</param>
internal sealed class HeldResult(object? result, object? instance) : IAsyncDisposable
{
    /// <summary>The result where it is one that is disposed; otherwise <c>null</c>.</summary>
    internal static object? Disposed(object? result) => result is Stream or PipeReader ? result : null;

    public async ValueTask DisposeAsync()
    {
        try
        {
            switch (result)
            {
                case Stream stream:
                    await stream.DisposeAsync();
                    break;
                case PipeReader reader:
                    await reader.CompleteAsync();
                    break;
            }
        }
        finally
        {
            if (instance is not null)
            {
                await ServiceInstance.DisposeAsync(instance);
            }
        }
    }
}
