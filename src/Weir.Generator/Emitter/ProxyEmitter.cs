using Weir.Generator.Model;

namespace Weir.Generator.Emitter;

/// <summary>Writes the class that calls a service from code: of its interface, or of the generated one.</summary>
internal static class ProxyEmitter
{
    private const string Token = "global::System.Threading.CancellationToken";

    public static void Write(SourceWriter code, ServiceModel service)
    {
        var contract = service.Contract ?? service.Client!.Type;
        code.Block($"internal sealed class {service.ProxyClass} : {contract}", () =>
        {
            code.Line("private readonly global::Weir.CallInvoker _invoker;");
            code.Line();
            code.Line($"internal {service.ProxyClass}(global::Weir.CallInvoker invoker) => _invoker = invoker;");
            foreach (var operation in service.Operations)
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
            code.Line($"{Header(method)} =>");
            var token = method.Parameters.FirstOrDefault(static one => one.IsToken)?.Name ?? $"{Token}.None";
            code.Line($"    {Invoke(service, operation, token)}{(method.IsTask ? ".AsTask()" : "")};");
            return;
        }

        code.Line($"{ClientEmitter.ReturnType(operation)} {contract}.{Naming.Escape(operation.ClientMethod)}({ClientEmitter.Parameters(operation, withDefaults: false)}) =>");
        code.Line($"    {Invoke(service, operation, ClientEmitter.TokenName(operation))};");
    }

    private static string Invoke(ServiceModel service, OperationModel operation, string token)
    {
        var how = operation.Result.IsStream ? "StreamAsync" : operation.Result.Value is null ? "RunAsync" : "InvokeAsync";
        var arguments = string.Join(", ", operation.Parameters.Select(Argument));
        return $"_invoker.{how}(new {service.OperationsClass}.{operation.Identifier}Call({service.OperationsClass}.{operation.Identifier}Operation)"
            + (arguments.Length == 0 ? "" : $" {{ {arguments} }}") + $", {token})";
    }

    // A list is never null for the method, whoever calls; a params array that was left out is null here.
    private static string Argument(ParameterModel parameter) =>
        $"{parameter.Field} = {Naming.Escape(parameter.Name)}{(parameter.IsParams || parameter.Value is { Kind: ValueKind.List, IsText: true } ? " ?? []" : "")}";

    private static void OtherMethod(SourceWriter code, ContractMethodModel method)
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
                code.Line($"    throw new global::System.NotSupportedException({JsonCode.Quote($"{method.Method} is no operation and cannot be called through a proxy.")});");
                break;
        }
    }

    private static string Header(ContractMethodModel method) =>
        $"{method.ReturnType} {method.Interface}.{method.Method}{method.TypeParameters}({string.Join(", ", method.Parameters.Select(static one => one.Declaration))})";
}
