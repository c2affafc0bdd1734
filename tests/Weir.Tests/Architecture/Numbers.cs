using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Weir.Tests.Architecture;

/// <summary>The numbers that users see, as the sources give them.</summary>
internal static class Numbers
{
    /// <summary>A number, and the place where it is assigned.</summary>
    internal sealed record Given(string Number, string Name, Finding Where);

    /// <summary>The constants of a file: problems and diagnostics, or event ids.</summary>
    public static IEnumerable<Given> Constants(SourceFile file) =>
        from field in file.Syntax.DescendantNodes().OfType<FieldDeclarationSyntax>()
        where field.Modifiers.Any(SyntaxKind.ConstKeyword)
        from variable in field.Declaration.Variables
        where variable.Initializer is not null
        select new Given(
            variable.Initializer!.Value.ToString().Trim('"'),
            variable.Identifier.ValueText,
            file.At(variable.Identifier, variable.Identifier.ValueText));

    /// <summary>The event ids of log messages: a constant's name, or a number, or nothing.</summary>
    public static IEnumerable<Given> EventIds(SourceFile file) =>
        from method in file.Syntax.DescendantNodes().OfType<MethodDeclarationSyntax>()
        from attribute in method.AttributeLists.SelectMany(list => list.Attributes)
        where attribute.Name.ToString() == "LoggerMessage"
        select new Given(EventId(attribute), method.Identifier.ValueText, file.At(method.Identifier, method.Identifier.ValueText));

    /// <summary>Numbers that are assigned twice.</summary>
    public static IEnumerable<string> Doubles(IEnumerable<Given> numbers) =>
        from number in numbers
        group number by number.Number into same
        where same.Count() > 1
        select $"{same.Key} is given twice: {string.Join(" and ", same.Select(given => given.Where))}";

    private static string EventId(AttributeSyntax attribute)
    {
        var arguments = attribute.ArgumentList?.Arguments ?? default;
        var named = arguments.FirstOrDefault(argument =>
            argument.NameEquals?.Name.Identifier.ValueText == "EventId" || argument.NameColon?.Name.Identifier.ValueText == "eventId");
        var positional = arguments.FirstOrDefault(argument => argument.NameEquals is null && argument.NameColon is null);

        // LoggerMessage(eventId, level, message) begins with the number; LoggerMessage(level, message) has none.
        return named?.Expression.ToString()
            ?? (arguments.Count(argument => argument.NameEquals is null) == 3 ? positional?.Expression.ToString() : null)
            ?? "";
    }
}
