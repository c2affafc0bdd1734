using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Weir.Lab.Jobs;

/// <summary>The application behind a server, where its jobs are submitted, watched and cancelled over HTTP. Apart: without the setting nothing of it is loaded.</summary>
internal static class JobsServer
{
    // As of all contenders of the lab on Kestrel: a thousand callers connect at once.
    private const int WaitingConnections = 4096;

    /// <summary>The application on a free port of 127.0.0.1, not started.</summary>
    /// <param name="configure">Adds its services.</param>
    public static IHost Build(Action<IServiceCollection> configure)
    {
        var builder = WebApplication.CreateSlimBuilder(new WebApplicationOptions { EnvironmentName = Environments.Production });
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(static options => options.Listen(IPAddress.Loopback, 0));
        builder.WebHost.UseSockets(static options => options.Backlog = WaitingConnections);
        configure(builder.Services);
        var application = builder.Build();
        application.MapWeir();
        application.MapWeirJobs();
        return application;
    }

    /// <summary>The port of an application that was started.</summary>
    public static int PortOf(IServiceProvider services) =>
        new Uri(services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.Single()).Port;
}
