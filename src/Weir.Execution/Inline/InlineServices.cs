using Microsoft.Extensions.DependencyInjection;
using Weir.Execution.Lanes;
using Weir.Execution.Pipeline;
using Weir.Runtime;
using Weir.Worker.Start;

namespace Weir.Execution.Inline;

/// <summary>The services of a pool that runs in the host, as a worker makes them: one container for each assembly, a scope for each call. May be used concurrently.</summary>
internal sealed class InlineServices : IAsyncDisposable
{
    // Of services that take any; the others have no scope, as in a worker.
    private readonly Dictionary<Service, IServiceProvider> _providers = [];
    private readonly List<IServiceProvider> _built = [];

    private InlineServices(IExecutor inline, IExecutor lane) => (Inline, Lane) = (inline, lane);

    /// <summary>Runs a call on its caller's flow.</summary>
    public IExecutor Inline { get; private set; }

    /// <summary>Runs a call on the lane.</summary>
    public IExecutor Lane { get; private set; }

    /// <summary>Makes the containers, then one instance of each class, which is warmed up: what a worker does before it is ready. Runs user code, and blocks.</summary>
    /// <param name="catalogs">The services of the pool that run in the host, by their catalogs.</param>
    /// <param name="pool">The pool's name.</param>
    /// <param name="lane">Runs what may block.</param>
    /// <param name="startup">What the methods get.</param>
    /// <param name="warmUp">Whether instances that implement <see cref="IWarmUp"/> are warmed up.</param>
    /// <param name="more"><see cref="WeirOptions.InlineServices"/>.</param>
    /// <exception cref="InlineStartException">Names the phase that failed; nothing stays open.</exception>
    public static InlineServices Build(IReadOnlyList<(ServiceCatalog Catalog, Service[] Services)> catalogs, string pool, Lane lane, WorkerStartup startup, bool warmUp, Action<IServiceCollection>? more)
    {
        var built = new InlineServices(null!, null!);
        try
        {
            built.BuildAll(catalogs, pool, lane, startup, warmUp, more);
            return built;
        }
        catch
        {
            built.DisposeAsync().AsTask().GetAwaiter().GetResult();
            throw;
        }
    }

    /// <summary>The scope of one call; <c>null</c> where its service takes no services, or its container makes no scopes.</summary>
    /// <param name="service">The service.</param>
    /// <param name="services">The services of the call.</param>
    public AsyncServiceScope? Open(Service service, out IServiceProvider services)
    {
        services = EmptyScopeFactory.Instance;
        if (!_providers.TryGetValue(service, out var provider))
        {
            return null;
        }

        services = provider;
        if (provider.GetService(typeof(IServiceScopeFactory)) is not IServiceScopeFactory scopes)
        {
            return null;
        }

        var scope = scopes.CreateAsyncScope();
        services = scope.ServiceProvider;
        return scope;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var provider in _built)
        {
            if (provider is IAsyncDisposable asynchronous)
            {
                await asynchronous.DisposeAsync();
            }
            else
            {
                (provider as IDisposable)?.Dispose();
            }
        }

        _built.Clear();
    }

    private void BuildAll(IReadOnlyList<(ServiceCatalog Catalog, Service[] Services)> catalogs, string pool, Lane lane, WorkerStartup startup, bool warmUp, Action<IServiceCollection>? more)
    {
        // 1. One container for each assembly of which a class here takes services.
        foreach (var (catalog, services) in catalogs)
        {
            var takers = services.Where(service => TakesServices(service, pool)).ToArray();
            if (takers.Length > 0 && Attempt("build services", () => Provider(catalog, startup, more)) is { } provider)
            {
                _built.Add(provider);
                foreach (var service in takers)
                {
                    _providers.Add(service, provider);
                }
            }
        }

        // 2. A class that is registered there comes from there.
        var registered = new Dictionary<Service, Type>();
        foreach (var (service, provider) in _providers)
        {
            if (service.ClassType?.Invoke() is { } type && provider.GetService(typeof(IServiceProviderIsService)) is IServiceProviderIsService known && known.IsService(type))
            {
                registered.Add(service, type);
            }
        }

        var instances = ServiceInstances.Registered(registered);
        (Inline, Lane) = (new InlineExecutor(instances), new LaneExecutor(lane, instances));

        // 3. One instance of every class, so that a missing service fails the start and not the first call.
        foreach (var service in catalogs.SelectMany(static one => one.Services))
        {
            Try(service, instances, warmUp, startup.Stopping);
        }
    }

    private void Try(Service service, ServiceInstances instances, bool warmUp, CancellationToken stopping)
    {
        var scope = Open(service, out var services);
        try
        {
            var (instance, isOwned) = Attempt($"create {service.TypeName}", () => (instances.Get(service, services, out var isOwned), isOwned));
            try
            {
                if (warmUp && instance is IWarmUp cold)
                {
                    Attempt($"warm up {service.TypeName}", () => Wait(cold.WarmUpAsync(stopping)));
                }
            }
            finally
            {
                if (isOwned)
                {
                    Attempt($"create {service.TypeName}", () => Wait(ServiceInstance.DisposeAsync(instance)));
                }
            }
        }
        finally
        {
            Attempt($"create {service.TypeName}", () => Wait(scope?.DisposeAsync() ?? default));
        }
    }

    private static IServiceProvider? Provider(ServiceCatalog catalog, WorkerStartup startup, Action<IServiceCollection>? more) => catalog.WorkerServicesForm switch
    {
        WorkerServicesForm.Provider when more is not null => throw new NotSupportedException(
            $"{nameof(WeirOptions.InlineServices)} is set, and the [WorkerServices] method of {catalog.AssemblyName} returns an IServiceProvider, to which nothing can be added: let it take an IServiceCollection, or register the fakes in the method."),
        WorkerServicesForm.Provider => WorkerContainer.WithLog(catalog.CreateWorkerServices(startup), startup),
        WorkerServicesForm.Collection => WorkerContainer.Build(catalog, startup, more),
        _ => null,
    };

    private static bool TakesServices(Service service, string pool) => service.NeedsServices
        || service.Operations.Any(operation => operation.UsesContext && operation.Placement == Placement.Isolated && string.Equals(operation.Pool, pool, StringComparison.OrdinalIgnoreCase));

    private static bool Wait(ValueTask task)
    {
        task.AsTask().GetAwaiter().GetResult();
        return true;
    }

    private static T Attempt<T>(string phase, Func<T> work)
    {
        try
        {
            return work();
        }
        catch (Exception cause)
        {
            throw new InlineStartException(phase, cause);
        }
    }
}
