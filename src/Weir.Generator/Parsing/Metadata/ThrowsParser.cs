using Microsoft.CodeAnalysis;
using Weir.Generator.Model;

namespace Weir.Generator.Parsing.Metadata;

/// <summary>Reads which exceptions callers may catch by their own type.</summary>
internal sealed class ThrowsParser(Findings findings)
{
    /// <summary>The declared exceptions, each once; <c>null</c>, and reported, when one cannot be re-created from a message.</summary>
    public EquatableArray<ThrowsModel>? Parse(string operation, IMethodSymbol method)
    {
        var before = findings.Count;
        var throws = new List<ThrowsModel>();
        foreach (var (attribute, place) in method.SelfAndOverridden().SelectMany(static one => one.GetAttributes().Select(attribute => (attribute, one))))
        {
            if (!attribute.AttributeClass.IsWeir("ThrowsAttribute"))
            {
                continue;
            }

            if (attribute.Type() is not { } type)
            {
                // typeof(int[]), typeof(void) and the like: a type without a class.
                findings.Report(WeirCodes.ThrowsShape, attribute.Place(place), operation, "this type", "it is not a class");
            }
            else if (Refusal(type) is { } reason)
            {
                findings.Report(WeirCodes.ThrowsShape, attribute.Place(place), operation, TypeNames.ForPeople(type), reason);
            }
            else if (attribute.Named("Status") is int status and not (0 or (>= 400 and <= 599)))
            {
                findings.Report(WeirCodes.ThrowsShape, attribute.Place(place), operation, TypeNames.ForPeople(type), $"Status = {status} is not the status of a failure; set it from 400 to 599");
            }
            else if (new ThrowsModel(TypeNames.ForCode(type), TypeNames.Metadata(type), attribute.Named("Status") as int? ?? 0) is var model && !throws.Any(one => one.Name == model.Name))
            {
                // The nearest attribute counts where an overridden method declares the same exception.
                throws.Add(model);
            }
        }

        return findings.Count == before ? throws.ToEquatableArray() : null;
    }

    private static string? Refusal(INamedTypeSymbol type) =>
        !IsException(type) ? "it is not an exception"
        : type.IsGenericType ? "it is generic; declare a class for it"
        : type.IsAbstract ? "it is abstract; declare the classes that are thrown"
        : !type.IsReachable() ? "generated code cannot access it; make it internal or public"
        : !type.InstanceConstructors.Any(IsFromMessage) ? "it has no public constructor that takes only the message; add one"
        : type.SelfAndBases().SelectMany(static one => one.GetMembers()).Any(static one => one is IPropertySymbol { IsRequired: true } or IFieldSymbol { IsRequired: true })
            ? "it has a required member, which is not sent with the message; remove 'required'"
        : null;

    private static bool IsException(INamedTypeSymbol type)
    {
        for (var current = type; current is not null; current = current.BaseType)
        {
            if (current.Is("System", "Exception"))
            {
                return true;
            }
        }

        return false;
    }

    private static bool IsFromMessage(IMethodSymbol constructor) =>
        constructor is { DeclaredAccessibility: Accessibility.Public, Parameters.Length: 1 }
        && constructor.Parameters[0] is { Type.SpecialType: SpecialType.System_String, RefKind: RefKind.None };
}
