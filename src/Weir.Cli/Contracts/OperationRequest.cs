namespace Weir.Cli.Contracts;

/// <summary>The request by which an operation is called.</summary>
/// <param name="Verb">In upper case.</param>
/// <param name="Path">With the parameters in braces.</param>
/// <param name="Parameters">Where each parameter is sent.</param>
internal sealed record OperationRequest(string Verb, string Path, List<RequestParameter> Parameters)
{
    // Only a JSON value in the body can hold these.
    private static readonly string[] Whole = ["body", "raw", "stream", "items"];

    /// <summary>The request of an operation, at the first of its routes and with the first verb of that.</summary>
    /// <param name="operation">The operation.</param>
    /// <param name="types">The types of its service.</param>
    /// <param name="isUnsafe">Whether to choose the first verb with which a job can be submitted, which GET is not.</param>
    public static OperationRequest Of(OperationContract operation, IReadOnlyDictionary<string, TypeContract> types, bool isUnsafe = false)
    {
        var route = (isUnsafe ? operation.Routes.FirstOrDefault(static one => one.Verbs.Any(IsUnsafe)) : null) ?? operation.Routes[0];
        var verb = (isUnsafe ? route.Verbs.FirstOrDefault(IsUnsafe) : null) ?? route.Verbs[0];
        var form = operation.Parameters.Any(static one => one.In is "form" or "file");
        var hasMembers = verb != "GET" && !operation.Parameters.Any(static one => Whole.Contains(one.In))
            && !(verb == "DELETE" && operation.Parameters.All(one => one.In == "file" || IsPlain(one.Type, types)));
        return new OperationRequest(verb, route.Path, [.. operation.Parameters.Where(one => one.In != "route" || IsInPath(route, one)).Select(one =>
        {
            var place = one.In switch
            {
                "route" => "path",
                "raw" or "stream" => "bytes",
                "value" when IsInPath(route, one) => "path",
                "value" => form ? "form" : hasMembers ? "member" : "query",
                var other => other,
            };

            // A list that JSON lacks is an error, unless null is a value; in a query it is empty.
            var isNeeded = place == "member" && one.Type.EndsWith("[]", StringComparison.Ordinal) && !one.HasDefault;
            return new RequestParameter(one, place, one.IsOptional && !isNeeded && !(place == "path" && !IsOptionalInPath(route, one)));
        })]);
    }

    // A number, text or an enum, not a list: then DELETE has no body.
    private static bool IsPlain(string type, IReadOnlyDictionary<string, TypeContract> types) =>
        type.TrimEnd('?') is var core && !core.EndsWith(']') && !core.EndsWith('}') && core is not ("json" or "text") && types.GetValueOrDefault(core) is null or { Names: not null };

    private static bool IsInPath(RouteContract route, ParameterContract parameter) =>
        new[] { $"{{{parameter.Wire}}}", $"{{*{parameter.Wire}}}", $"{{{parameter.Wire}?}}", $"{{*{parameter.Wire}?}}" }.Any(one => route.Path.Contains(one, StringComparison.OrdinalIgnoreCase));

    private static bool IsUnsafe(string verb) => verb != "GET";

    private static bool IsOptionalInPath(RouteContract route, ParameterContract parameter) => route.Path.Contains($"{parameter.Wire}?}}", StringComparison.OrdinalIgnoreCase);
}

/// <summary>A parameter in a request.</summary>
/// <param name="Parameter">What it is.</param>
/// <param name="Place">Where it is sent: <c>path</c>, <c>query</c>, <c>header</c>, <c>member</c> (of the JSON object in the body), <c>body</c>, <c>bytes</c>, <c>items</c>, <c>form</c> or <c>file</c>.</param>
/// <param name="IsOptional">Whether a caller may leave it out.</param>
internal sealed record RequestParameter(ParameterContract Parameter, string Place, bool IsOptional);
