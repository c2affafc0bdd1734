using Microsoft.Extensions.DependencyInjection;

namespace Weir.Worker.Start;

/// <summary>The instance that serves one call, and its scope; disposed in this order when the call has ended.</summary>
internal readonly struct ServiceLease(object instance, IServiceProvider services, IServiceScope? scope, bool owned) : IAsyncDisposable
{
    public object Instance { get; } = instance;

    public IServiceProvider Services { get; } = services;

    /// <summary>Whether there is nothing to dispose.</summary>
    public bool IsFree => scope is null && !(owned && Instance is (IDisposable or IAsyncDisposable));

    public ValueTask DisposeAsync() => IsFree ? default : DisposeBothAsync();

    private async ValueTask DisposeBothAsync()
    {
        try
        {
            if (owned)
            {
                await DisposeAsync(Instance);
            }
        }
        finally
        {
            if (scope is not null)
            {
                await DisposeAsync(scope);
            }
        }
    }

    private static ValueTask DisposeAsync(object disposable)
    {
        if (disposable is IAsyncDisposable asynchronous)
        {
            return asynchronous.DisposeAsync();
        }

        (disposable as IDisposable)?.Dispose();
        return default;
    }
}
