using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Options;
using Weir.Runtime;

namespace Weir.AspNetCore.Options;

/// <summary>Sets the options that the section <c>Weir:Server</c> of the configuration contains, before the application's code does.</summary>
internal sealed class WeirServerConfiguration(IServiceProvider services) : IConfigureOptions<WeirServerOptions>
{
    /// <summary>Registers it, once, and makes the section a known one.</summary>
    public static void Register(IServiceCollection services)
    {
        services.TryAddEnumerable(ServiceDescriptor.Singleton<OptionSection>(WeirServerKeys.Section));
        if (!services.Any(static one => one.ImplementationType == typeof(WeirServerConfiguration)))
        {
            // Options are configured in the order of registration, and the application may have called Configure before AddWeir.
            services.Insert(0, ServiceDescriptor.Singleton<IConfigureOptions<WeirServerOptions>, WeirServerConfiguration>());
        }
    }

    public void Configure(WeirServerOptions options)
    {
        if (services.GetService<IConfiguration>() is { } configuration)
        {
            WeirServerKeys.Section.Bind(options, configuration);
        }
    }
}
