using Microsoft.CodeAnalysis;
using Weir.Generator.Model;
using Weir.Generator.Parsing.Metadata;
using Weir.Generator.Parsing.Types;

namespace Weir.Generator.Parsing.Services;

/// <summary>
/// Writes the declaration of an operation's method again, with the attributes that generated code can write: factories of endpoint
/// filters look at both.
/// </summary>
internal static class MethodParser
{
    /// <summary>The declaration.</summary>
    /// <param name="compilation">The assembly whose generated code declares it.</param>
    /// <param name="called">The method that is called: of the class, or of its contract.</param>
    /// <param name="implementation">The method of the class; <c>null</c> where there is no class.</param>
    public static MethodModel Parse(Compilation compilation, IMethodSymbol called, IMethodSymbol? implementation)
    {
        var chain = (implementation?.SelfAndOverridden() ?? []).Append(called).Distinct<IMethodSymbol>(SymbolEqualityComparer.Default).ToList();
        return new MethodModel(
            Naming.Escape(called.Name),
            called.ReturnsVoid ? "void" : TypeNames.ForCode(called.ReturnType),
            Attributes(compilation, chain).ToEquatableArray(),
            called.Parameters.Select(parameter => Parameter(compilation, parameter, chain)).ToEquatableArray());
    }

    private static string Parameter(Compilation compilation, IParameterSymbol parameter, List<IMethodSymbol> chain)
    {
        // A default is written as the method has it: the language forbids both forms on one parameter.
        var defaults = parameter.GetAttributes().Where(static one => IsDefault(one.AttributeClass!)).Select(AttributeCode.Declare).ToList();
        var others = Attributes(compilation, chain.Select(method => method.Parameters[parameter.Ordinal]), static one => !IsDefault(one));
        var attributes = string.Concat(others.Concat(defaults).Select(static one => one + " "));
        var value = parameter.HasExplicitDefaultValue && defaults.Count == 0 ? DefaultValues.Of(parameter) : null;
        return $"{attributes}{(parameter.IsParams ? "params " : "")}{TypeNames.ForCode(parameter.Type)} {Naming.Escape(parameter.Name)}{(value is null ? "" : $" = {value}")}";
    }

    private static IEnumerable<string> Attributes(Compilation compilation, IEnumerable<ISymbol> chain, Func<INamedTypeSymbol, bool>? isWanted = null) =>
        AttributeChain.Levels(chain).SelectMany(static level => level).Select(static one => one.Attribute)
            .Where(one => !EndpointAttributes.IsSkipped(one.AttributeClass!) && isWanted?.Invoke(one.AttributeClass!) != false && AttributeCode.Obstacle(compilation, one) is null && !IsWarnedOf(one))
            .Select(AttributeCode.Declare);

    private static bool IsDefault(INamedTypeSymbol attribute) =>
        attribute.IsIn("System.Runtime.InteropServices") && attribute.Name is "OptionalAttribute" or "DefaultParameterValueAttribute";

    // The compiler warns where such an attribute is written, and it has warned of the operation's own already.
    private static bool IsWarnedOf(AttributeData attribute) => attribute.AttributeConstructor!.GetAttributes().Concat(attribute.AttributeClass!.GetAttributes())
        .Any(static one => one.AttributeClass!.IsIn("System.Diagnostics.CodeAnalysis") && (one.AttributeClass!.Name == "ExperimentalAttribute" || one.AttributeClass.Name.StartsWith("Requires", StringComparison.Ordinal)));
}
