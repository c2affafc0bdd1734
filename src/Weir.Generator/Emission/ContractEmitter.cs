using System.Globalization;
using Weir.Generator.Model;

namespace Weir.Generator.Emission;

/// <summary>
/// Writes the contract of a service as JSON: what its callers send and receive. <c>docs/guide/contracts.md</c> describes the format. The same
/// source gives the same text; operations and types are ordered by name, so that an addition is one more line wherever it is stored.
/// </summary>
internal static class ContractEmitter
{
    /// <summary>The name of the constant in the class of a service's operations.</summary>
    public const string Constant = "Contract";

    /// <summary>What callers send and receive of one operation: members of its object, without documentation.</summary>
    public static string Shape(OperationRoutes routes, EquatableArray<ParameterModel> parameters, ResultModel result, bool isIdempotent, string resumption, EquatableArray<ThrowsModel> throws) =>
        JsonText.Object(
            $"\"routes\":{JsonText.Array(routes.All.Select(static one => JsonText.Object(
                $"\"verbs\":{JsonText.Array(Verbs(one.Verbs))},", JsonText.Member("path", "/" + one.Template))))},",
            parameters.Count == 0 ? "" : $"\"parameters\":{JsonText.Array(parameters.Select(Parameter))},",
            $"\"result\":{JsonText.Object(JsonText.Member("kind", Kind(result)), JsonText.Member("type", result.Value is { } value ? Type(value) : null), JsonText.Member("mediaType", result.MediaType))},",
            throws.Count == 0 ? "" : $"\"throws\":{JsonText.Array(throws.Select(static one => JsonText.Object(
                JsonText.Member("name", one.Name), one.Status == 0 ? "" : $"\"status\":{one.Status.ToString(CultureInfo.InvariantCulture)},")))},",
            JsonText.Flag("idempotent", isIdempotent),
            JsonText.Member("resumable", resumption == "None" ? null : Naming.Camel(resumption)));

    /// <summary>The hash of an operation's shape and of the types that it uses.</summary>
    public static ulong Signature(string fullName, string shape, IEnumerable<WireTypeModel> types) =>
        Naming.Hash(string.Concat(new[] { fullName, shape }.Concat(types.Select(static one => one.Name + one.Definition))));

    /// <summary>The contract of a service.</summary>
    public static string Text(ContractModel contract) => JsonText.Object(
        JsonText.Member("service", contract.Service),
        JsonText.Member("interface", contract.Interface),
        JsonText.Member("summary", contract.Summary),
        $"\"operations\":{JsonText.Array(contract.Operations.OrderBy(static one => one.Name, StringComparer.Ordinal).Select(Operation))},",
        $"\"types\":{{{string.Join(",", contract.Types.Select(static one => $"{JsonText.Quote(one.Name)}:{one.Definition}"))}}},");

    /// <summary>The attribute by which tools find a contract in a built assembly.</summary>
    /// <param name="code">Where it is written: before every namespace.</param>
    /// <param name="service">The service's name.</param>
    /// <param name="text">An expression for the contract.</param>
    public static void Attribute(SourceWriter code, string service, string text) =>
        code.Line($"[assembly: global::Weir.Runtime.WeirContract({JsonCode.Quote(service)}, {text})]");

    /// <summary>Writes the attributes of the contracts that no class of the assembly serves.</summary>
    public static string Write(IEnumerable<ContractModel> contracts)
    {
        var code = SourceWriter.AnyLanguage();
        foreach (var contract in contracts)
        {
            Attribute(code, contract.Service, JsonCode.Quote(Text(contract)));
        }

        return code.ToString();
    }

    private static string Operation(ContractOperationModel operation)
    {
        var head = JsonText.Object(
            JsonText.Member("name", operation.Name),
            JsonText.Member("signature", operation.Signature.ToString("x16", CultureInfo.InvariantCulture)));
        var shape = operation.Shape.Substring(1, operation.Shape.Length - 2);
        // Not in the shape, of which the signature is a hash: direct calls are the same with and without it.
        var job = operation.JobKind is { } kind ? $",\"job\":{JsonText.Quote(kind)}" : "";
        var respond = operation.JobRespond switch { 1 => ",\"respond\":\"always\"", 2 => ",\"respond\":\"never\"", _ => "" };
        return $"{head.Substring(0, head.Length - 1)},{shape}{job}{respond}{(operation.Documentation is { } documentation ? $",\"docs\":{Docs(documentation)}" : "")}}}";
    }

    private static string Docs(DocumentationModel documentation) => JsonText.Object(
        JsonText.Member("summary", documentation.Summary),
        JsonText.Member("remarks", documentation.Remarks),
        JsonText.Member("returns", documentation.Returns),
        documentation.Parameters.Count == 0 ? "" : $"\"parameters\":{JsonText.Object(
            documentation.Parameters.GroupBy(static one => one.Name, StringComparer.Ordinal).Select(static one => JsonText.Member(one.Key, one.First().Text)).ToArray())},");

    private static string Parameter(ParameterModel parameter) => JsonText.Object(
        JsonText.Member("name", parameter.Name),
        JsonText.Member("wire", parameter.WireName == parameter.Name ? null : parameter.WireName),
        JsonText.Member("in", parameter.Source.ToLowerInvariant()),
        JsonText.Member("type", parameter.Source switch
        {
            "Stream" => "bytes",
            "File" => parameter.Display.TrimEnd('?').EndsWith("IFormFile", StringComparison.Ordinal) ? "file" : "file[]",
            _ => parameter.Value.Wire,
        }),
        JsonText.Flag("optional", parameter.IsOptional),
        JsonText.Member("default", parameter.Default is null or "null" or "null!" or "default" ? null : parameter.Default));

    private static string Type(ValueModel value) => value.Kind == ValueKind.Opaque ? "json" : value.Wire;

    private static string Kind(ResultModel result) => result.IsByteStream ? "byteStream" : Naming.Camel(result.Kind);

    // "global::Weir.Verbs.Get | global::Weir.Verbs.Post"
    private static IEnumerable<string> Verbs(string expression) =>
        expression.Split('|').Select(static one => JsonText.Quote(one.Trim().Substring(one.Trim().LastIndexOf('.') + 1).ToUpperInvariant()));
}
