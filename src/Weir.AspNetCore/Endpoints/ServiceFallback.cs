using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Formatting;
using Weir.AspNetCore.Problems;

namespace Weir.AspNetCore.Endpoints;

/// <summary>
/// Answers for paths under a service that name none of its operations, or one in a format it does not have. Its endpoint has
/// the attributes of contract and class, so a caller that they refuse gets no answer from here. An operation that demands more than
/// they do is treated as unknown, because a caller that may not call it should not learn its formats.
/// </summary>
internal sealed class ServiceFallback(Service service)
{
    /// <summary>The name of the route value that holds the rest of the path; none of an application's own templates needs it.</summary>
    internal const string RouteValue = "weir.rest";

    private readonly HashSet<Operation> _hidden = [];

    /// <summary>The endpoint's delegate.</summary>
    internal async Task InvokeAsync(HttpContext http)
    {
        var rest = (http.Request.RouteValues[RouteValue] as string ?? "").TrimEnd('/');
        var point = rest.LastIndexOf('.');
        var name = point > 0 && point < rest.Length - 1 ? rest[..point] : null;
        var (operation, route) = name is null ? default : Find($"{service.Route}/{name}");
        if (operation is not null && await new RequestGuard(operation, route!.Verbs).TryAnswerAsync(http))
        {
            // The verb and the origin come before the format.
            return;
        }

        await ProblemResponse.WriteAsync(http, operation is null
            ? new Problem(404, WeirCodes.OperationNotFound, rest.Length == 0 ? $"The path needs the name of an operation after {service.Name}." : $"{service.Name} has no operation '{rest}'.")
            : new Problem(406, WeirCodes.NotAcceptable, $"{operation} has no format '.{rest[(point + 1)..]}'; it has {Describe(Formats.Of(operation))}."));
    }

    /// <summary>Hides the operations that not every caller of this fallback may call. Called while the endpoints are built.</summary>
    /// <param name="endpoints">The endpoints of the service's operations, with all conventions applied.</param>
    /// <param name="fallback">The endpoint of this fallback.</param>
    internal void HideGuarded(IEnumerable<Endpoint> endpoints, Endpoint fallback)
    {
        var passed = fallback.Metadata.GetMetadata<IAllowAnonymous>() is null ? Guards(fallback).ToHashSet(ReferenceEqualityComparer.Instance) : [];
        foreach (var endpoint in endpoints)
        {
            if (endpoint.Metadata.GetMetadata<IAllowAnonymous>() is null && !Guards(endpoint).All(passed.Contains))
            {
                _hidden.Add(endpoint.Metadata.GetRequiredMetadata<Operation>());
            }
        }
    }

    /// <summary>Whether endpoint metadata demands something of the caller.</summary>
    internal static bool IsGuard(object metadata) => metadata is IAuthorizeData or AuthorizationPolicy or IAuthorizationRequirementData;

    private static IEnumerable<object> Guards(Endpoint endpoint) => endpoint.Metadata.Where(IsGuard);

    private (Operation? Operation, OperationRoute? Route) Find(string template) => service.Operations.Where(operation => !_hidden.Contains(operation))
        .SelectMany(static operation => operation.Routes, static (operation, route) => (operation, route))
        .FirstOrDefault(one => string.Equals(one.route.Template, template, StringComparison.OrdinalIgnoreCase));

    private static string Describe(Formats formats) => string.Join(", ", formats.Extensions.Select(static extension => "." + extension));
}
