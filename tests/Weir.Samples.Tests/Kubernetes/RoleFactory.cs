using JobsOnKubernetes;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Mvc.Testing;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Weir.Samples.Tests.Kubernetes;

/// <summary>The program, started with the variables of a manifest or of a unit, and with its jobs in memory. Below <c>/operator</c> it also has what operators ask: how many jobs it runs at once.</summary>
/// <param name="environment">The variables.</param>
internal sealed class RoleFactory(IReadOnlyDictionary<string, string> environment) : WebApplicationFactory<Reports>
{
    protected override void ConfigureWebHost(IWebHostBuilder builder)
    {
        foreach (var (name, value) in environment)
        {
            // As the configuration reads variables.
            builder.UseSetting(name.Replace("__", ":", StringComparison.Ordinal), value);
        }

        builder.ConfigureLogging(static logging => logging.ClearProviders());
        builder.ConfigureTestServices(static services =>
        {
            services.AddWeirJobs(static jobs => jobs.UseMemory());
            services.AddAuthorization();
            services.AddSingleton<IStartupFilter, Operator>();
        });
    }

    private sealed class Operator : IStartupFilter
    {
        public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
        {
            app.Map("/operator", static branch =>
            {
                branch.UseRouting();
                branch.UseAuthorization();
                branch.UseEndpoints(static endpoints => endpoints.MapWeirJobsAdmin().RequireAuthorization(static policy => policy.RequireAssertion(static _ => true)));
            });
            next(app);
        };
    }
}
