using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.RequestDecompression;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Weir;
using Weir.AspNetCore.Decompression;
using Weir.AspNetCore.Endpoints;
using Weir.AspNetCore.Options;
using Weir.AspNetCore.Responses;
using Weir.AspNetCore.Resuming;
using Weir.AspNetCore.Streaming;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers Weir's HTTP entry point.</summary>
public static class WeirServerServiceCollectionExtensions
{
    /// <summary>
    /// Registers what serves operations over HTTP. The generated <c>AddWeir</c> calls it; calling it again only adds
    /// configuration.
    /// </summary>
    /// <param name="services">The application's services.</param>
    /// <param name="configure">
    /// Changes options when the application starts, after the configuration's section <c>Weir:Server</c> was read. Several calls, and
    /// <c>services.Configure&lt;WeirServerOptions&gt;</c>, are applied in the order of their registration.
    /// </param>
    public static IServiceCollection AddWeirServer(this IServiceCollection services, Action<WeirServerOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        services.AddRouting();
        services.AddOptions();
        WeirServerConfiguration.Register(services);
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IValidateOptions<WeirServerOptions>, WeirServerOptionsValidation>());
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IPostConfigureOptions<RequestDecompressionOptions>, DecompressionCompleteness>());
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostedService, RuntimeStart>());
        services.TryAddEnumerable(ServiceDescriptor.Singleton<MatcherPolicy, FallbackPruning>());
        services.TryAddEnumerable(ServiceDescriptor.Singleton<MatcherPolicy, VerbSelection>());
        services.TryAddEnumerable(ServiceDescriptor.Transient<IStartupFilter, EndpointStartup>());
        services.TryAddSingleton<MappedOperations>();
        services.TryAddSingleton(new RegisteredServices(services));
        services.TryAddSingleton(TimeProvider.System);
        services.TryAddSingleton<ShutdownCut>();
        services.TryAddSingleton<ShutdownReport>();
        services.TryAddSingleton(static provider => new KeptStreams(
            provider.GetRequiredService<IOptions<WeirServerOptions>>(), provider.GetRequiredService<TimeProvider>(), provider.GetRequiredService<ShutdownCut>(), () => provider.GetService<WeirRuntime>()?.Pools ?? []));
        services.TryAddSingleton<DeferredCalls>();
        services.TryAddSingleton<EndpointServices>();
        if (configure is not null)
        {
            services.Configure(configure);
        }

        return services;
    }
}
