using Microsoft.Extensions.DependencyInjection;

namespace Weir.ReportLibrary;

internal static class ReportServices
{
    [WorkerServices]
    internal static void Configure(IServiceCollection services, WorkerStartup startup)
    {
        services.Configure<ReportOptions>(startup.Configuration.GetSection("Reports"));
        services.AddScoped<Scoped>();
        services.AddSingleton(new Printer(startup.Configuration["Printer"] ?? "no printer"));
    }
}
