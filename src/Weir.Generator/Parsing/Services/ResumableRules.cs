using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Parsing.Services;

/// <summary>How a stream marked <c>[Resumable]</c> continues after its connection was cut, and which operations cannot.</summary>
internal static class ResumableRules
{
    private const string Attribute = "ResumableAttribute";
    private const string From = "from";

    /// <summary>The name of a value of <c>Weir.Resumption</c>; reports what does not fit.</summary>
    public static string Parse(Findings findings, DeclaredOperation operation, string fullName, IReadOnlyList<DeclaredVerb> verbs)
    {
        if (operation.Method.Inherited(Attribute) is not { } attribute)
        {
            return "None";
        }

        var from = operation.Parameters.FirstOrDefault(static one => one.Name == From);
        var isRead = verbs.Any(static verb => verb.Name == "Get");
        var refusal = operation switch
        {
            { Result.IsStream: false } => "it is no stream; remove [Resumable], or return IAsyncEnumerable<T>",
            { Result.IsByteStream: true } => "its items are bytes that are sent one after the other, so that no caller can count them; stream values that contain them, or remove [Resumable]",
            _ when operation.Parameters.Any(static one => one.IsItems) => "its request is streamed, and what was read of it is gone; take the items as a list, or remove [Resumable]",
            _ when operation.Parameters.Any(static one => one.IsAttached) => "it reads its request's body itself, and what was read of it is gone; take the body as bytes or values, or remove [Resumable]",
            _ when from is not null => OfFrom(operation, from) ?? (isRead || operation.IsIdempotent
                ? null
                : "it has a parameter 'from', so it runs again for each caller that continues, and nothing says that this does no harm; mark it [Get] or [Idempotent]"),
            _ when operation.Parameters.Any(static one => one.IsRaw) => "it has no parameter 'from', so it keeps running after its request has ended, and its request's body does not; take the bytes as a member of a JSON body, or 'long from = 0'",
            { Result.Flush: "Bulk" } => "FlushPolicy.Bulk holds items back which the buffer must keep; choose FlushPolicy.Adaptive or Item, or take 'long from = 0'",
            _ => null,
        };
        if (refusal is not null)
        {
            findings.Report(WeirCodes.ResumableShape, attribute.Place(operation.Method), fullName, refusal);
            return "None";
        }

        return from is null ? "Buffer" : "Source";
    }

    /// <summary>Reports a parameter that only the request has, of an operation that keeps running without it.</summary>
    public static void CheckArguments(Findings findings, IMethodSymbol called, string fullName, string resumption)
    {
        if (resumption != "Buffer")
        {
            return;
        }

        foreach (var parameter in ParameterGroups.Flat(findings.Compilation, called).Where(static one => ParameterParser.RoleOf(one) == ArgumentRole.Http))
        {
            findings.Report(
                WeirCodes.ResumableShape, parameter.Symbol, fullName,
                $"it has no parameter 'from', so it keeps running after its request has ended, and its parameter '{parameter.Name}' ({TypeNames.ForPeople(TypeNames.Core(parameter.Type))}) does not exist then; pass what it needs of it as values");
        }
    }

    private static string? OfFrom(DeclaredOperation operation, ParameterModel from)
    {
        const string Step = "write 'long from = 0', or rename it";
        return from switch
        {
            _ when from.Value.Type != "long" => $"its parameter 'from' is {from.Display}, and the index of an item is a long; {Step}",
            { Source: not ("Value" or "Query") } => $"its parameter 'from' does not come from the query; {Step}",
            _ when operation.Routes.Any(static route => HasFrom(route.Template)) => $"its parameter 'from' is in the path; {Step}",
            { IsOptional: false } => $"its parameter 'from' has no default; {Step}",
            { Default: not ("0" or "0L" or "default") } => $"its parameter 'from' has another default than 0, the index of the first item; {Step}",
            _ => null,
        };
    }

    // Whether a parameter of the template is 'from': {from}, {from:long}, {**from}.
    private static bool HasFrom(string template)
    {
        for (var at = template.IndexOf('{'); at >= 0; at = template.IndexOf('{', at + 1))
        {
            var content = template.Substring(at + 1).TrimStart('*');
            if (content.StartsWith("from", StringComparison.OrdinalIgnoreCase) && content.Length > 4 && (content[4] is '}' or ':' or '=' or '?'))
            {
                return true;
            }
        }

        return false;
    }
}
