using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Options;
using Weir;
using Weir.Execution.Pipeline;
using Weir.Runtime;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers Weir's execution; called by the generated <c>AddWeir</c>.</summary>
public static class WeirServiceCollectionExtensions
{
    /// <summary>
    /// Registers everything that runs calls, and the typed proxies of all services. An implementation of a contract that the application
    /// registers itself, before or after (a test double), is what calls run on, over HTTP and from code.
    /// </summary>
    /// <param name="services">The application's services.</param>
    /// <param name="applicationAssembly">The simple name of the assembly whose <c>AddWeir</c> ran; workers load it.</param>
    /// <param name="catalogs">The catalogs of the application and of everything it references.</param>
    /// <param name="configure">
    /// Changes options when the application starts, after the configuration's section <c>Weir</c> was read. Several calls, and
    /// <c>services.Configure&lt;WeirOptions&gt;</c>, are applied in the order of their registration.
    /// </param>
    /// <exception cref="InvalidOperationException">Two services have one name (WEIR1006).</exception>
    public static IServiceCollection AddWeirCatalogs(
        this IServiceCollection services, string applicationAssembly, IReadOnlyList<ServiceCatalog> catalogs, Action<WeirOptions>? configure = null)
    {
        var all = new WeirCatalogs(applicationAssembly, catalogs);
        services.TryAddSingleton(all);
        if (configure is not null)
        {
            services.Configure(configure);
        }

        services.TryAddSingleton(static provider => WeirOptions.Create(
            provider.GetService<IConfiguration>(), provider.GetServices<IConfigureOptions<WeirOptions>>(), provider.GetServices<OptionSection>().Select(static one => one.Name)));
        services.TryAddSingleton(provider => new WeirRuntime(all, provider.GetRequiredService<WeirOptions>(), provider));
        services.TryAddSingleton(static provider => provider.GetRequiredService<WeirRuntime>().Pipeline);
        services.TryAddSingleton<CallInvoker>(static provider => new PipelineInvoker(provider.GetRequiredService<CallPipeline>(), provider.GetRequiredService<IServiceScopeFactory>()));
        var registrations = new ContractRegistrations(services);
        services.TryAddSingleton(registrations);
        registrations.AddProxies(all.Catalogs.SelectMany(static catalog => catalog.Proxies));
        return services;
    }
}
