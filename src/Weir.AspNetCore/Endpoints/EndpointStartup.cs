using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http.Timeouts;
using Microsoft.AspNetCore.OutputCaching;
using Microsoft.AspNetCore.RateLimiting;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Weir.AspNetCore.Diagnostics;
using Weir.Runtime;

namespace Weir.AspNetCore.Endpoints;

/// <summary>
/// Builds Weir's endpoints after the application has set up its middleware and before the server listens; routing alone would build
/// them at the first request. An error in them stops the start, and policies that no middleware will apply are logged.
/// </summary>
internal sealed class EndpointStartup(MappedOperations mapped, RegisteredServices registered, IHostEnvironment environment, ILoggerFactory loggers) : IStartupFilter
{
    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
    {
        next(app);
        var all = app.ApplicationServices.GetService<EndpointDataSource>();
        Build(all);
        RouteConflicts.Check(mapped.Sources.SelectMany(static source => source.Built ?? []));
        if (mapped.ChecksEndpoints)
        {
            var log = loggers.CreateLogger("Weir.AspNetCore");
            foreach (var endpoint in all?.Endpoints ?? [])
            {
                PolicyRequirement.Check(endpoint, environment, log);
            }
        }

        mapped.AtStart.ForEach(static begin => begin());
        RequireJobs();
        Warn();
        NameUnserved(app.ApplicationServices.GetService<WeirCatalogs>());
    };

    // Weir's own endpoints only, where possible: the application's other endpoints are still built when routing asks for them.
    private void Build(EndpointDataSource? all)
    {
        if (all is CompositeEndpointDataSource composite)
        {
            foreach (var source in composite.DataSources.OfType<OperationDataSource>())
            {
                _ = source.Endpoints;
            }
        }

        // A source inside a group can only be built together with everything else in the group.
        if (mapped.Sources.Any(static source => source.Built is null))
        {
            _ = all?.Endpoints;
        }
    }

    private void RequireJobs()
    {
        if (!mapped.ServesJobs
            && mapped.Sources.SelectMany(static source => source.Services).SelectMany(static service => service.Operations).FirstOrDefault(static operation => operation.Job is { Respond: JobRespond.Always }) is { } operation)
        {
            throw new InvalidOperationException(
                $"{operation} has [Job(Respond = JobRespond.Always)], and the application serves no jobs: call app.MapWeirJobs() (package Weir.Jobs.AspNetCore), or remove Respond. See {WeirCodes.JobEndpointsMissing}.");
        }
    }

    // An application that maps nothing does not serve.
    private void NameUnserved(WeirCatalogs? catalogs)
    {
        foreach (var (contract, type) in catalogs is not null && mapped.Sources.Count > 0 ? catalogs.Catalogs.SelectMany(static one => one.Unmarked) : [])
        {
            if (!catalogs!.Services.Any(one => one.ContractName == contract))
            {
                loggers.CreateLogger("Weir.AspNetCore").ContractNotServed(type, contract);
            }
        }
    }

    private void Warn()
    {
        Warn("[EnableRateLimiting]", "AddRateLimiter", "UseRateLimiter", "Microsoft.AspNetCore.RateLimiting", static one => one is EnableRateLimitingAttribute);
        Warn("[OutputCache]", "AddOutputCache", "UseOutputCache", "Microsoft.AspNetCore.OutputCaching", static one => one is OutputCacheAttribute or IOutputCachePolicy);
        Warn("[RequestTimeout]", "AddRequestTimeouts", "UseRequestTimeouts", "Microsoft.AspNetCore.Http.Timeouts", static one => one is RequestTimeoutAttribute or RequestTimeoutPolicy);
    }

    private void Warn(string attribute, string registration, string middleware, string @namespace, Func<object, bool> isMeant)
    {
        if (registered.HasOf(@namespace))
        {
            return;
        }

        var operations = mapped.Sources.SelectMany(static source => source.Built ?? [])
            .Where(endpoint => endpoint.Metadata.Any(isMeant))
            .Select(static endpoint => endpoint.Metadata.GetMetadata<Operation>()?.FullName).Where(static name => name is not null).Distinct().ToList();
        if (operations.Count > 0)
        {
            loggers.CreateLogger("Weir.AspNetCore").PolicyIgnored(string.Join(", ", operations), attribute, registration, middleware);
        }
    }
}
