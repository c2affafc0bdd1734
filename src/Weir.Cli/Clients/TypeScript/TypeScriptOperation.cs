using Weir.Cli.Contracts;

namespace Weir.Cli.Clients.TypeScript;

/// <summary>What the code of an operation consists of, for direct calls and for jobs.</summary>
/// <param name="types">The types of the file.</param>
/// <param name="service">The service.</param>
/// <param name="operation">The operation.</param>
/// <param name="request">How it is called.</param>
internal sealed class TypeScriptOperation(TypeScriptTypes types, ServiceContract service, OperationContract operation, OperationRequest request)
{
    /// <summary>What a class has already.</summary>
    public static readonly string[] OfEveryClass = ["constructor", "toString", "valueOf", "hasOwnProperty", "then"];

    private static readonly string[] OfEveryObject = ["constructor", "toString", "toLocaleString", "valueOf", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable"];

    /// <summary><c>Orders/Find</c>.</summary>
    public string Name => $"{service.Name}/{operation.Name}";

    public bool IsStream => operation.ResultKind is "stream" or "byteStream";

    /// <summary>The parameters of its method, with a comma at the end; empty for none.</summary>
    public string Arguments => request.Parameters.Count == 0
        ? ""
        : $"args: {{ {string.Join("; ", request.Parameters.Select(Argument))} }}{(request.Parameters.TrueForAll(static one => one.IsOptional) ? Nothing : "")}, ";

    /// <summary>What its method passes on as the arguments.</summary>
    public string Passed => request.Parameters.Count == 0 ? "{}" : "args";

    /// <summary>What reads its result.</summary>
    public string Call => operation.ResultKind switch
    {
        "none" => "none",
        "stream" => "stream",
        "byteStream" => "byteStream",
        "bytes" => operation.ResultType!.EndsWith('?') ? "bytesOrNull" : "bytes",
        "raw" or "http" => "response",
        _ => "value",
    };

    /// <summary>The type of its result; of a stream that of the whole stream.</summary>
    public string Result => operation.ResultKind switch
    {
        "stream" or "byteStream" => $"WeirStream<{Item}>",
        "none" => "void",
        "bytes" => $"Uint8Array{(operation.ResultType!.EndsWith('?') ? " | null" : "")}",
        "raw" or "http" => "Response",
        _ => types.Output(operation.ResultType!),
    };

    /// <summary>The type of an item of a stream.</summary>
    public string Item => operation.ResultKind == "byteStream" ? "Uint8Array" : types.Output(operation.ResultType!);

    /// <summary>The members of what the runtime knows about it.</summary>
    public string Info
    {
        get
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
                $"name: {TypeScriptText.Quote(Name)}", $"verb: {TypeScriptText.Quote(request.Verb)}", $"path: {TypeScriptText.Quote(request.Path)}", $"parameters: [{string.Join(", ", parameters)}]",
                .. types.ExactType(operation.ResultType) is { } type ? [$"type: {TypeScriptText.Quote(type)}"] : Array.Empty<string>(),
                .. operation.MediaType is { } media && operation.ResultKind is "bytes" or "byteStream" ? [$"mediaType: {TypeScriptText.Quote(media.Split(';')[0].Trim())}"] : Array.Empty<string>(),
                .. operation.Resumable is { } resumable ? [$"resumable: {TypeScriptText.Quote(resumable)}"] : Array.Empty<string>(),
            ];
            return string.Join(", ", members);
        }
    }

    // For the compiler, an empty object has the members of every object.
    private string Nothing => request.Parameters.Exists(static one => OfEveryObject.Contains(one.Parameter.Name, StringComparer.Ordinal)) ? " = {} as never" : " = {}";

    /// <summary>The name of its method.</summary>
    /// <param name="taken">The names of the class; the new one is added.</param>
    public string Method(HashSet<string> taken) => TypeScriptClient.Distinct(taken, TypeScriptNames.Identifier(operation.Name, isUpper: false));

    /// <summary>The lines of its comment.</summary>
    /// <param name="otherwise">The first one, where the code has none.</param>
    public string[] Documentation(string otherwise) =>
    [
        operation.Summary ?? otherwise,
        .. operation.Parameters.Where(static one => one.Summary is not null).Select(static one => $"@param args.{one.Name} {one.Summary}"),
        operation.Returns is null ? "" : $"@returns {operation.Returns}",
    ];

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
}
