using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>Writes the class that calls a service from code: of its interface, or of the generated one.</summary>
internal static class ProxyEmitter
{
    private const string Token = "global::System.Threading.CancellationToken";

    public static void Write(SourceWriter code, ServiceModel service)
    {
        var contract = service.Contract ?? service.Client!.Type;
        code.Block($"internal sealed class {service.ProxyClass} : {contract}, global::Weir.Runtime.IProxy", () =>
        {
            code.Line("private readonly global::Weir.Runtime.CallInvoker _invoker;");
            code.Line();
            code.Line($"internal {service.ProxyClass}(global::Weir.Runtime.CallInvoker invoker) => _invoker = invoker;");
            code.Line();
            code.Line("global::Weir.Runtime.CallInvoker global::Weir.Runtime.IProxy.Invoker => _invoker;");
            code.Line();
            code.Line($"object global::Weir.Runtime.IProxy.Over(global::Weir.Runtime.CallInvoker invoker) => new {service.ProxyClass}(invoker);");
            foreach (var operation in service.Operations.Where(static one => one.Contract is not null || !one.IsHttpOnly))
            {
                code.Line();
                Method(code, service, operation, contract);
            }

            foreach (var method in service.OtherMethods)
            {
                code.Line();
                OtherMethod(code, method);
            }
        });
    }

    private static void Method(SourceWriter code, ServiceModel service, OperationModel operation, string contract)
    {
        if (operation.Contract is { } method)
        {
            var token = method.Parameters.FirstOrDefault(static one => one.IsToken)?.Name ?? $"{Token}.None";
            var caller = method.Parameters.FirstOrDefault(static one => one.IsCaller)?.Name;
            code.Block(Header(method), () => Invoke(code, service, operation, token, caller, method.IsTask ? ".AsTask()" : ""));
            return;
        }

        code.Block(
            $"{ClientEmitter.ReturnType(operation)} {contract}.{Naming.Escape(operation.ClientMethod)}({ClientEmitter.Parameters(operation, withDefaults: false)})",
            () => Invoke(code, service, operation, ClientEmitter.TokenName(operation), ClientEmitter.CallerName(operation), ""));
    }

    // Calls are rented: the invoker returns successful ones. Calls of streams are not rented, because their items refer to them.
    private static void Invoke(SourceWriter code, ServiceModel service, OperationModel operation, string token, string? caller, string conversion)
    {
        var type = $"{service.OperationsClass}.{operation.Identifier}Call";
        var description = $"{service.OperationsClass}.{operation.Identifier}Operation";
        var call = LocalName(operation, token, caller);
        code.Line(operation.Result.IsStream ? $"var {call} = new {type}({description});" : $"var {call} = ({type}){description}.RentCall();");
        foreach (var parameter in operation.Parameters)
        {
            code.Line($"{call}.{Argument(parameter)};");
        }

        if (caller is not null)
        {
            code.Line($"{call}.Caller = {caller};");
        }

        var suppression = operation.Result.Value is { IsOblivious: true } ? "!" : "";
        code.Line($"return this._invoker.{(operation.Result.IsStream ? "StreamAsync" : "InvokeAsync")}({call}, {token}){conversion}{suppression};");
    }

    // No parameter may have the name of the local.
    private static string LocalName(OperationModel operation, string token, string? caller)
    {
        var name = "call";
        while (name == token || name == caller || operation.Parameters.Any(one => one.Name == name))
        {
            name += "_";
        }

        return name;
    }

    // A list is null for the method only where null is allowed; a params array that was omitted is null here.
    private static string Argument(ParameterModel parameter) =>
        $"{parameter.Field} = {Naming.Escape(parameter.Name)}{(parameter.IsTextList && (parameter.IsParams || !parameter.Value.IsNullable) ? " ?? []" : parameter.Value.IsOblivious ? "!" : "")}";

    /// <summary>Writes a member of the contract that is not an operation.</summary>
    public static void OtherMethod(SourceWriter code, ContractMethodModel method)
    {
        switch (method)
        {
            case { Interface: "global::System.IDisposable" }:
                code.Block(Header(method), static () => { });
                break;
            case { Interface: "global::System.IAsyncDisposable" }:
                code.Line($"{Header(method)} => default;");
                break;
            default:
                code.Line($"{Header(method)} =>");
                code.Line($"    throw new global::System.NotSupportedException({JsonCode.Quote($"{method.Method} is not an operation and cannot be called through a proxy.")});");
                break;
        }
    }

    /// <summary>The explicit implementation of a method, without its body.</summary>
    public static string Header(ContractMethodModel method) =>
        $"{method.ReturnType} {method.Interface}.{method.Method}{method.TypeParameters}({string.Join(", ", method.Parameters.Select(static one => one.Declaration))}){method.Constraints}";
}
