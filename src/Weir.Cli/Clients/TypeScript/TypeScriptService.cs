using Weir.Cli.Contracts;

namespace Weir.Cli.Clients.TypeScript;

/// <summary>Writes the class of one service: a method for each operation.</summary>
internal sealed class TypeScriptService(TypeScriptText code, TypeScriptTypes types, ServiceContract service, string className)
{
    private static readonly string[] OfEveryObject = ["constructor", "toString", "toLocaleString", "valueOf", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable"];

    // What a class has already.
    private readonly HashSet<string> _methods = new(["constructor", "toString", "valueOf", "hasOwnProperty", "then"], StringComparer.Ordinal);

    /// <summary>Writes it.</summary>
    public void Write()
    {
        code.Comment(service.Summary ?? $"The service {service.Name}.");
        code.Block($"export class {className}", () =>
        {
            code.Line("readonly #connection: WeirConnection;");
            code.Line();
            code.Block("constructor(connection: WeirConnection)", () => code.Line("this.#connection = connection;"));
            foreach (var operation in service.Operations)
            {
                code.Line();
                Operation(operation);
            }
        });
    }

    private void Operation(OperationContract operation)
    {
        var request = OperationRequest.Of(operation, service.Types);
        code.Comment(
        [
            operation.Summary ?? $"Calls {service.Name}/{operation.Name}.",
            .. operation.Parameters.Where(static one => one.Summary is not null).Select(static one => $"@param args.{one.Name} {one.Summary}"),
            operation.Returns is null ? "" : $"@returns {operation.Returns}",
        ]);
        var options = operation.ResultKind is "stream" or "byteStream" ? "StreamOptions" : "CallOptions";
        var parameters = request.Parameters.ConvertAll(Argument);
        var arguments = parameters.Count == 0 ? "" : $"args: {{ {string.Join("; ", parameters)} }}{(request.Parameters.TrueForAll(static one => one.IsOptional) ? Nothing(request.Parameters) : "")}, ";
        var method = TypeScriptClient.Distinct(_methods, TypeScriptNames.Identifier(operation.Name, isUpper: false));
        code.Block($"{method}({arguments}options?: {options}): {Result(operation)}", () =>
            code.Line($"return this.#connection.{Call(operation)}({Info(operation, request)}, {(parameters.Count == 0 ? "{}" : "args")}, options);"));
    }

    // For the compiler, an empty object has the members of every object.
    private static string Nothing(List<RequestParameter> parameters) =>
        parameters.Exists(static one => OfEveryObject.Contains(one.Parameter.Name, StringComparer.Ordinal)) ? " = {} as never" : " = {}";

    private string Argument(RequestParameter one)
    {
        var type = one.Place switch
        {
            "bytes" => "BytesInput",
            "items" => types.Input(one.Parameter.Type) is var item ? $"Iterable<{item}> | AsyncIterable<{item}>" : "",
            // There is no null in a text, and leaving the parameter out means its default.
            "path" or "query" or "header" or "form" when one.Parameter.HasDefault => types.Input(one.Parameter.Type.TrimEnd('?')),
            _ => types.Input(one.Parameter.Type),
        };
        return $"readonly {TypeScriptNames.Member(one.Parameter.Name)}{(one.IsOptional ? "?" : "")}: {type}{(one.IsOptional ? " | undefined" : "")}";
    }

    private static string Call(OperationContract operation) => operation.ResultKind switch
    {
        "none" => "none",
        "stream" => "stream",
        "byteStream" => "byteStream",
        "bytes" => operation.ResultType!.EndsWith('?') ? "bytesOrNull" : "bytes",
        "raw" or "http" => "response",
        _ => "value",
    };

    private string Result(OperationContract operation) => operation.ResultKind switch
    {
        "none" => "Promise<void>",
        "stream" => $"WeirStream<{types.Output(operation.ResultType!)}>",
        "byteStream" => "WeirStream<Uint8Array>",
        "bytes" => $"Promise<Uint8Array{(operation.ResultType!.EndsWith('?') ? " | null" : "")}>",
        "raw" or "http" => "Promise<Response>",
        _ => $"Promise<{types.Output(operation.ResultType!)}>",
    };

    private string Info(OperationContract operation, OperationRequest request)
    {
        var parameters = request.Parameters.Select(one =>
        {
            var wire = one.Parameter.Wire == one.Parameter.Name ? null : TypeScriptText.Quote(one.Parameter.Wire);
            var type = one.Place is "member" or "body" or "items" && types.ExactType(one.Parameter.Type) is { } exact ? TypeScriptText.Quote(exact) : null;
            string?[] parts = [TypeScriptText.Quote(one.Place), TypeScriptText.Quote(one.Parameter.Name), type is null ? wire : wire ?? "undefined", type];
            return $"[{string.Join(", ", parts.Where(static part => part is not null))}]";
        });
        string[] members =
        [
            $"name: {TypeScriptText.Quote($"{service.Name}/{operation.Name}")}", $"verb: {TypeScriptText.Quote(request.Verb)}", $"path: {TypeScriptText.Quote(request.Path)}", $"parameters: [{string.Join(", ", parameters)}]",
            .. types.ExactType(operation.ResultType) is { } type ? [$"type: {TypeScriptText.Quote(type)}"] : Array.Empty<string>(),
            .. operation.Resumable is { } resumable ? [$"resumable: {TypeScriptText.Quote(resumable)}"] : Array.Empty<string>(),
        ];
        return $"{{ {string.Join(", ", members)} }}";
    }
}
