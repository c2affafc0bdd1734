using Weir;

namespace IsolatedWork;

/// <summary>What the renderer gets inside a worker, where the application's own services do not exist.</summary>
internal static class WorkerSetup
{
    [WorkerServices]
    internal static void Configure(IServiceCollection services, WorkerStartup startup) =>
        services.Configure<RenderOptions>(startup.Configuration.GetSection("Render"));
}
