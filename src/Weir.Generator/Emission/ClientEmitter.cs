using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>Writes the asynchronous interface of a class that has none of its own.</summary>
internal static class ClientEmitter
{
    private const string Tasks = "global::System.Threading.Tasks.";

    public static void Write(SourceWriter code, ServiceModel service, ClientModel client)
    {
        if (client.Namespace.Length == 0)
        {
            Interface(code, service, client);
        }
        else
        {
            code.Block($"namespace {client.Namespace}", () => Interface(code, service, client));
        }
    }

    /// <summary>What a client's method returns.</summary>
    public static string ReturnType(OperationModel operation) => operation.Result switch
    {
        { Value: null } => Tasks + "ValueTask",
        { IsStream: true, Value: var item } => $"global::System.Collections.Generic.IAsyncEnumerable<{item.Type}>",
        { Value: var value } => $"{Tasks}ValueTask<{value.Type}>",
    };

    /// <summary>The parameters of a client's method: those that callers supply, who they are where the method takes that, and the token last.</summary>
    public static string Parameters(OperationModel operation, bool withDefaults) =>
        string.Concat(operation.Parameters.Select((one, index) => Parameter(one, withDefaults && operation.Parameters.Skip(index).All(HasDefault)) + ", "))
        + (CallerName(operation) is { } caller ? $"global::System.Security.Claims.ClaimsPrincipal? {caller}{(withDefaults ? " = null" : "")}, " : "")
        + $"global::System.Threading.CancellationToken {TokenName(operation)}{(withDefaults ? " = default" : "")}";

    /// <summary>The name of the parameter that is who makes the call; <c>null</c> where the method takes none. Of several, the first.</summary>
    public static string? CallerName(OperationModel operation) => operation.Taken.FirstOrDefault(static one => one.Role == ArgumentRole.Caller)?.Field is { } name ? Naming.Escape(name) : null;

    /// <summary>The token's name: <c>ct</c>, unless a parameter has it.</summary>
    public static string TokenName(OperationModel operation)
    {
        var name = "ct";
        while (operation.Parameters.Any(one => one.Name == name) || name == CallerName(operation))
        {
            name += "_";
        }

        return name;
    }

    private static void Interface(SourceWriter code, ServiceModel service, ClientModel client)
    {
        code.Line($"/// <summary>Calls the service {service.Name} from code. Always asynchronous; may be used concurrently.</summary>");
        code.Block($"{(client.IsPublic ? "public" : "internal")} interface {client.Name}", () =>
        {
            foreach (var operation in service.Operations.Where(static one => !one.IsHttpOnly))
            {
                code.Line($"/// <summary>Calls {service.Name}/{operation.Name}.</summary>");
                code.Line($"{ReturnType(operation)} {Naming.Escape(operation.ClientMethod)}({Parameters(operation, withDefaults: true)});");
            }
        });
    }

    // Of a group of parameters, one with a default may stand before one without.
    private static bool HasDefault(ParameterModel parameter) => parameter.IsParams || parameter.Default is not null;

    private static string Parameter(ParameterModel parameter, bool withDefaults)
    {
        var type = parameter.IsParams && !parameter.Value.IsNullable ? parameter.Type + "?" : parameter.Type;
        var value = parameter.IsParams ? "null" : parameter.Default;
        return $"{type} {Naming.Escape(parameter.Name)}{(withDefaults && value is not null ? $" = {value}" : "")}";
    }
}
