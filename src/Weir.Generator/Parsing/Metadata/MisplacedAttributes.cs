using Microsoft.CodeAnalysis;
using Weir.Generator.Model;
using Weir.Generator.Parsing.Types;

namespace Weir.Generator.Parsing.Metadata;

/// <summary>
/// Finds methods marked <c>[Isolated]</c> or <c>[Blocking]</c> in a class that implements a contract but is not served,
/// because a class is served only by its own mark. Base classes of served ones may have these marks.
/// </summary>
internal static class MisplacedAttributes
{
    public static EquatableArray<DiagnosticModel> Check(Compilation compilation, IMethodSymbol method, AttributeData attribute)
    {
        var type = method.ContainingType;
        if (type is not { TypeKind: TypeKind.Class, IsAbstract: false } || MarkedTypes.IsServed(type) || !type.AllInterfaces.Any(MarkedTypes.IsContract))
        {
            return default;
        }

        var findings = new Findings(compilation, method);
        findings.Report(
            WeirCodes.AttributePlacement, attribute.Place(method), Attributes.Brackets(attribute),
            $"a class that is served: {type.Name} is not marked [Service], [Isolated] or [Blocking] itself");
        return findings.Diagnostics.ToEquatableArray();
    }
}
