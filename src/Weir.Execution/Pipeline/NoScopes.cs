using Microsoft.Extensions.DependencyInjection;

namespace Weir.Execution.Pipeline;

/// <summary>The services of calls where there is no application around the pool: none.</summary>
internal sealed class NoScopes : IServiceScopeFactory, IServiceScope, IServiceProvider
{
    public static NoScopes Instance { get; } = new();

    public IServiceProvider ServiceProvider => this;

    public IServiceScope CreateScope() => this;

    public object? GetService(Type serviceType) => null;

    public void Dispose()
    {
    }
}
