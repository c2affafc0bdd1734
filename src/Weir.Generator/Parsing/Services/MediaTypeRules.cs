using Microsoft.CodeAnalysis;
using Weir.Generator.Model;
using Weir.Generator.Parsing.Metadata;

namespace Weir.Generator.Parsing.Services;

/// <summary>The media type of a result that is bytes: <c>[Produces("image/png")]</c>, or <c>[MediaType("image/png")]</c> where ASP.NET Core is not referenced.</summary>
internal static class MediaTypeRules
{
    private const string Json = "application/json";
    private const string Content = "byte[], ReadOnlyMemory<byte>, IAsyncEnumerable<ReadOnlyMemory<byte>> or Stream";

    // What streams are sent as whose items are JSON.
    private static readonly string[] OfItems = ["application/x-ndjson", "application/ndjson", "application/jsonl", "text/event-stream"];

    /// <summary>The media type of an operation's result; <c>null</c> without an attribute, and, reported, where it does not fit.</summary>
    public static string? Parse(Findings findings, IMethodSymbol method, ResultModel? result)
    {
        var placed = method.SelfAndOverridden()
            .Select(static one => one.GetAttributes().Where(MediaTypeAttributes.Contain).Select(attribute => new PlacedAttribute(one, attribute)).ToList())
            .FirstOrDefault(static level => level.Count > 0);
        if (placed is null || result is null)
        {
            return null;
        }

        var attribute = placed[0].Attribute;
        var text = attribute.Text()?.Trim();
        var refusal = placed.Count > 1 ? "another attribute says the media type already, and a result has one; remove one of them"
            : Misfit(attribute, result) ?? (text is null || !IsOne(text) ? $"'{attribute.Text()}' is not one media type; write one without wildcards, as in {attribute.AttributeClass!.Name.Replace("Attribute", "")}(\"image/png\")" : OfKind(Plain(text), result));
        if (refusal is null)
        {
            return text;
        }

        findings.Report(WeirCodes.UnsupportedAttribute, placed[placed.Count - 1].Place, placed[0].Owner, placed[placed.Count - 1].Brackets, refusal);
        return null;
    }

    /// <summary>Reports the attribute of ASP.NET Core on the method of a class whose contract is an interface.</summary>
    public static void RefuseOnImplementation(Findings findings, IMethodSymbol implementation)
    {
        foreach (var attribute in implementation.GetAttributes().Where(static one => MediaTypeAttributes.Contain(one) && !one.AttributeClass.IsWeir("MediaTypeAttribute")))
        {
            findings.Report(WeirCodes.AttributePlacement, attribute.Place(implementation), Attributes.Brackets(attribute), "the method of the interface");
        }
    }

    /// <summary>A media type without its parameters.</summary>
    private static string Plain(string mediaType) => mediaType.Split(';')[0].Trim();

    private static string? Misfit(AttributeData attribute, ResultModel result) =>
        !IsBytes(result) ? $"the result is not bytes, so the extension of the path or the Accept header chooses the format; remove it, or return {Content}"
        : attribute.ConstructorArguments.Length == 0 || attribute.ConstructorArguments[0].Kind != TypedConstantKind.Primitive ? "Weir reads the media type alone; write it as the only argument, as in \"image/png\""
        : attribute.ConstructorArguments.Length > 1 && attribute.ConstructorArguments[1] is { Kind: TypedConstantKind.Array, Values.Length: > 0 } ? "it names several media types, and bytes have one; write one"
        : attribute.NamedArguments.Length > 0 ? $"Weir reads the media type alone; remove {attribute.NamedArguments[0].Key}"
        : null;

    private static bool IsBytes(ResultModel result) => result.Kind is "Bytes" or "Raw" || result.IsByteStream;

    // These bytes have another form, which the type already names.
    private static string? OfKind(string plain, ResultModel result) =>
        plain.Equals(Json, StringComparison.OrdinalIgnoreCase) && result.Kind != "Raw" ? $"{Json} is the form of the result in which the bytes are base64; return Stream to send JSON that is written already"
        : result.IsStream && OfItems.Contains(plain, StringComparer.OrdinalIgnoreCase) ? $"{plain} is a form of the stream in which each item is base64; return Stream to send what is written already"
        : null;

    // type "/" subtype *( ";" name "=" value ), RFC 9110 §8.3.1; a quoted value has no further quotation marks and semicolons.
    private static bool IsOne(string text)
    {
        var parts = text.Split(';');
        var names = parts[0].Trim().Split('/');
        return names.Length == 2 && names.All(IsToken) && names.All(static one => one.IndexOf('*') < 0) && parts.Skip(1).All(static part =>
        {
            var pair = part.Trim().Split('=');
            return pair.Length == 2 && IsToken(pair[0])
                && (IsToken(pair[1]) || (pair[1].Length > 2 && pair[1][0] == '"' && pair[1].IndexOf('"', 1) == pair[1].Length - 1 && pair[1].All(static one => one is >= ' ' and < (char)127 and not '\\')));
        });
    }

    private static bool IsToken(string text) => text.Length > 0 && text.All(static one => one is >= '0' and <= '9' or >= 'A' and <= 'Z' or >= 'a' and <= 'z' || "!#$%&'*+-.^_`|~".IndexOf(one) >= 0);
}
