using Microsoft.Extensions.DependencyInjection;

namespace Weir.Execution.Pipeline;

/// <summary>The services of calls of a pool outside an application: none.</summary>
internal sealed class EmptyScopeFactory : IServiceScopeFactory, IServiceScope, IServiceProvider
{
    public static EmptyScopeFactory Instance { get; } = new();

    public IServiceProvider ServiceProvider => this;

    public IServiceScope CreateScope() => this;

    public object? GetService(Type serviceType) => null;

    public void Dispose()
    {
    }
}
