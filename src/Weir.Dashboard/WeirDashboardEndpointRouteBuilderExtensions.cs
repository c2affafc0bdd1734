using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Weir;
using Weir.AspNetCore.Endpoints;
using Weir.Dashboard.Actions;
using Weir.Dashboard.Endpoints;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Serves what an application of Weir does, and what is wrong, to operators.</summary>
public static class WeirDashboardEndpointRouteBuilderExtensions
{
    /// <summary>
    /// Serves findings, pools, calls that run, operations and crash reports: a page for people, <c>snapshot</c> and <c>events</c> as JSON, <c>ps</c> as text, <c>history</c> and <c>reports</c>; <c>weir ps</c>, <c>weir top</c>, <c>weir events</c> and
    /// <c>weir report</c> read them. It begins to record when the application starts (<see cref="RecordingOptions"/>). In <c>Development</c> direct requests from the machine are answered; elsewhere the returned builder or its group must
    /// have a policy, and nowhere may it have <c>AllowAnonymous</c>: otherwise the application does not start (WEIR3024). Call it once.
    /// </summary>
    /// <param name="endpoints">Where to map.</param>
    /// <param name="path">The path, without a parameter in it; default <c>/weir</c>.</param>
    /// <param name="page">Whether the page is served at the path itself; <c>false</c>: data only.</param>
    /// <param name="configure">Sets options.</param>
    /// <returns>The conventions of these endpoints: <c>RequireAuthorization("operators")</c>.</returns>
    /// <exception cref="ArgumentException">The path has a parameter.</exception>
    /// <exception cref="InvalidOperationException"><c>AddWeir</c> was not called (WEIR3001), an option is out of its range (WEIR3002), or it was called before.</exception>
    public static IEndpointConventionBuilder MapWeirDashboard(this IEndpointRouteBuilder endpoints, string path = "/weir", bool page = true, Action<WeirDashboardOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(path);
        if (path.Contains('{', StringComparison.Ordinal))
        {
            throw new ArgumentException($"The path of {nameof(MapWeirDashboard)} is '{path}', and it must not have a parameter: nothing is shown by it.", nameof(path));
        }

        var services = endpoints.ServiceProvider;
        var mapped = services.GetService<MappedOperations>() ?? throw new InvalidOperationException(
            $"{nameof(MapWeirDashboard)} needs {nameof(MappedOperations)}, which is not registered; call builder.Services.AddWeir() before builder.Build(). See {WeirCodes.ServiceNotRegistered}.");
        if (mapped.HasDashboard)
        {
            throw new InvalidOperationException($"{nameof(MapWeirDashboard)} was called before: an application has one dashboard.");
        }

        var options = new WeirDashboardOptions();
        configure?.Invoke(options);
        options.Validate();
        var dashboard = new DashboardHost(services, options);
        (mapped.HasDashboard, mapped.ChecksEndpoints) = (true, true);
        mapped.AtStart.Add(() => ActionPolicy.Require(options.ActionPolicy, services));
        mapped.AtStart.Add(dashboard.Start);
        var group = endpoints.MapGroup(path);
        DashboardEndpoints.Map(group, dashboard, page, options);
        return group;
    }
}
