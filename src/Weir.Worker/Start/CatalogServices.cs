using Weir.Runtime;

namespace Weir.Worker.Start;

/// <summary>The services of one assembly's isolated classes: built by its [WorkerServices] method, if anything needs them.</summary>
internal sealed class CatalogServices(ServiceCatalog catalog) : IAsyncDisposable
{
    private const string DisableDynamicEngine = "Microsoft.Extensions.DependencyInjection.DisableDynamicEngine";

    private bool _built;

    public string AssemblyName => catalog.AssemblyName;

    /// <summary>Empty until <see cref="Build"/>, and if the assembly has no such method.</summary>
    public IServiceProvider Provider { get; private set; } = NoServices.Instance;

    public void Build(StartupSource startup)
    {
        if (!_built)
        {
            _built = true;
            if (!AppContext.TryGetSwitch(DisableDynamicEngine, out _))
            {
                // The container would compile code for each service when that is resolved for the second time: in a worker's first call, which
                // took 7 ms in place of 0.7 (decision 26). What the application's runtimeconfig.json sets is kept.
                AppContext.SetSwitch(DisableDynamicEngine, true);
            }

            Provider = catalog.WorkerServicesForm switch
            {
                WorkerServicesForm.Provider => WorkerContainer.WithLog(catalog.CreateWorkerServices(startup.Get()), startup.Get()) ?? NoServices.Instance,
                WorkerServicesForm.Collection => WorkerContainer.Build(catalog, startup.Get()),
                _ => NoServices.Instance,
            };
        }
    }

    public async ValueTask DisposeAsync()
    {
        var provider = Provider;
        Provider = NoServices.Instance;
        if (provider is IAsyncDisposable asynchronous)
        {
            await asynchronous.DisposeAsync();
        }
        else
        {
            (provider as IDisposable)?.Dispose();
        }
    }

    private sealed class NoServices : IServiceProvider
    {
        public static readonly NoServices Instance = new();

        public object? GetService(Type serviceType) => null;
    }
}
