using Microsoft.AspNetCore.Http;
using Weir.Server.Errors;
using Weir.Server.Formatting;

namespace Weir.Server.Hosting;

/// <summary>Answers for paths under a service that name none of its operations, or one in a format it does not have.</summary>
internal sealed class ServiceFallback(Service service)
{
    /// <summary>The name of the route value that holds the rest of the path.</summary>
    internal const string RouteValue = "operation";

    /// <summary>The endpoint's delegate.</summary>
    internal Task InvokeAsync(HttpContext http)
    {
        var rest = (http.Request.RouteValues[RouteValue] as string ?? "").TrimEnd('/');
        var point = rest.LastIndexOf('.');
        var name = point > 0 && point < rest.Length - 1 ? rest[..point] : null;
        var operation = service.Operations.FirstOrDefault(operation => string.Equals(operation.Name, name, StringComparison.OrdinalIgnoreCase));
        return ProblemResponse.WriteAsync(http, operation is null
            ? new Problem(404, WeirCodes.OperationNotFound, rest.Length == 0 ? $"{service.Name} needs the name of an operation behind it." : $"{service.Name} has no operation '{rest}'.")
            : new Problem(406, WeirCodes.NotAcceptable, $"{operation} has no format '.{rest[(point + 1)..]}'; it has {Describe(Formats.Of(operation))}."));
    }

    private static string Describe(Formats formats) => string.Join(", ", formats.Extensions.Select(static extension => "." + extension));
}
