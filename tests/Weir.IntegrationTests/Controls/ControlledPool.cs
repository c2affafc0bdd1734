using System.Text.Json;
using Microsoft.Extensions.DependencyInjection;
using Weir.IntegrationTests.Services;
using Weir.Runtime;

namespace Weir.IntegrationTests.Controls;

/// <summary>An application whose one pool has some options; its workers say what holds for them.</summary>
internal sealed class ControlledPool(Action<PoolOptions> configure, Action<IServiceCollection>? register = null) : IAsyncDisposable
{
    private readonly Application _application = new(
        weir =>
        {
            var pool = weir.Pool("controlled");
            pool.MaxWorkers = 1;
            configure(pool);
        },
        register);

    public PoolSnapshot Pool => _application.Runtime.Pools.Single(pool => pool.Name == "controlled");

    /// <summary>What holds for the worker, by the pool's word.</summary>
    public AppliedLimits Limits => Pool.Workers.Single().Limits!;

    public WeirRuntime Runtime => _application.Runtime;

    public T Get<T>()
        where T : notnull => _application.Get<T>();

    public async Task<T> AskAsync<T>(string operation, string arguments = "{}", CallRequest request = default) =>
        JsonSerializer.Deserialize<T>(await _application.CallAsync($"Controlled/{operation}", arguments, request))!;

    public ValueTask DisposeAsync() => _application.DisposeAsync();
}
