namespace Weir.Execution.Pipeline;

/// <summary>Disposes an instance that was created for one call.</summary>
internal static class ServiceInstance
{
    internal static ValueTask DisposeAsync(object instance)
    {
        if (instance is IAsyncDisposable asynchronous)
        {
            return asynchronous.DisposeAsync();
        }

        (instance as IDisposable)?.Dispose();
        return default;
    }

    /// <summary>The same where a thread may block: on the lane.</summary>
    internal static void Dispose(object instance)
    {
        if (instance is IDisposable blocking)
        {
            blocking.Dispose();
        }
        else if (instance is IAsyncDisposable asynchronous)
        {
            asynchronous.DisposeAsync().AsTask().GetAwaiter().GetResult();
        }
    }
}
