using System.Net;
using System.Runtime;
using System.Runtime.InteropServices;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.NetPeers;

/// <summary>A peer's side of the lab's lines.</summary>
internal static class PeerLoop
{
    /// <summary>Answers until the input ends.</summary>
    public static void Run(ControlLine ready, Func<ControlLine, Task<IEnumerable<ControlLine>>> answer) => ContenderLoop.Run(
        ready.With("runtime", RuntimeInformation.FrameworkDescription).With("gc", GCSettings.IsServerGC ? "server" : "workstation"),
        request => request.Verb == "counters" ? [Counters.OfThisProcess().ToLine()] : answer(request).GetAwaiter().GetResult());

    /// <summary>A builder as the lab's own contenders have it: Kestrel on 127.0.0.1 with a queue of 4,096 connections, one protocol, and no logging.</summary>
    public static WebApplicationBuilder CreateBuilder(HttpProtocols protocol)
    {
        var builder = WebApplication.CreateBuilder(new WebApplicationOptions { EnvironmentName = "Production" });
        builder.Logging.ClearProviders();
        builder.WebHost.UseSockets(static options => options.Backlog = 4096);
        builder.WebHost.ConfigureKestrel(options => options.Listen(IPAddress.Loopback, 0, listen => listen.Protocols = protocol));
        return builder;
    }

    /// <summary>Starts a server, and runs it until the input ends.</summary>
    public static async Task ServeAsync(WebApplication application)
    {
        await using (application)
        {
            await application.StartAsync();
            Run(new ControlLine("ready").With("port", new Uri(application.Urls.Single()).Port), static request => throw new NotSupportedException($"A server does not know '{request.Verb}'."));
        }
    }
}
