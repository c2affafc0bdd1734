using System.Text;
using System.Text.RegularExpressions;
using System.Xml;
using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Parsing.Metadata;

/// <summary>
/// Reads documentation comments. Their text is taken from the source: the compiler gives them to generators only if the project
/// generates a documentation file.
/// </summary>
internal static class DocumentationParser
{
    private const string Mark = "///";

    /// <summary>The comment of the first symbol that has one; <c>null</c> where none has.</summary>
    public static DocumentationModel? Parse(CancellationToken cancellationToken, params ISymbol?[] symbols)
    {
        foreach (var symbol in symbols)
        {
            if (symbol is not null && Text(symbol, cancellationToken) is { Length: > 0 } text && Parse(text) is { } model)
            {
                return model;
            }
        }

        return null;
    }

    private static string? Text(ISymbol symbol, CancellationToken cancellationToken)
    {
        if (symbol.DeclaringSyntaxReferences.Length == 0)
        {
            return symbol.GetDocumentationCommentXml(cancellationToken: cancellationToken);
        }

        foreach (var reference in symbol.DeclaringSyntaxReferences)
        {
            var trivia = reference.GetSyntax(cancellationToken).GetLeadingTrivia().ToFullString();
            if (trivia.Contains(Mark))
            {
                return string.Join("\n", trivia.Split('\n').Select(static line => line.Trim()).Where(static line => line.StartsWith(Mark, StringComparison.Ordinal)).Select(static line => line.Substring(Mark.Length)));
            }
        }

        return null;
    }

    // A comment that is not well-formed is the compiler's to report.
    private static DocumentationModel? Parse(string text)
    {
        try
        {
            var root = XElement.Parse($"<doc>{text}</doc>");
            var member = root.Element("member") ?? root;
            var parameters = member.Elements("param")
                .Select(static one => new ParameterDocumentation(one.Attribute("name")?.Value ?? "", Plain(one) ?? ""))
                .Where(static one => one.Text.Length > 0);
            var model = new DocumentationModel(Plain(member.Element("summary")), Plain(member.Element("remarks")), Plain(member.Element("returns")), parameters.ToEquatableArray());
            return model is { Summary: null, Remarks: null, Returns: null, Parameters.Count: 0 } ? null : model;
        }
        catch (XmlException)
        {
            return null;
        }
    }

    private static string? Plain(XElement? element)
    {
        if (element is null)
        {
            return null;
        }

        var text = new StringBuilder();
        Append(text, element);
        return Regex.Replace(text.ToString(), @"\s+", " ").Trim() is { Length: > 0 } plain ? plain : null;
    }

    private static void Append(StringBuilder text, XElement element)
    {
        foreach (var node in element.Nodes())
        {
            if (node is XText words)
            {
                text.Append(words.Value);
            }
            else if (node is XElement { IsEmpty: false } inner)
            {
                Append(text, inner);
                text.Append(inner.Name.LocalName is "para" or "item" or "description" ? " " : "");
            }
            else if (node is XElement reference)
            {
                text.Append(Name(reference));
            }
        }
    }

    // Without the namespace: 'T:Sample.Order' and 'Sample.Order' are both Order.
    private static string Name(XElement reference)
    {
        var cref = reference.Attribute("cref")?.Value;
        var name = cref ?? reference.Attribute("langword")?.Value ?? reference.Attribute("name")?.Value ?? reference.Attribute("href")?.Value ?? " ";
        return cref is null ? name : name.Split('(')[0].Split('.', ':').Last();
    }
}
