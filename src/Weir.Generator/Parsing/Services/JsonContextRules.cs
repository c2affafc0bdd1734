using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing.Services;

/// <summary>Checks the class that <c>[assembly: WeirJson]</c> names.</summary>
internal static class JsonContextRules
{
    private const string Json = "System.Text.Json.Serialization";

    /// <summary>Why the class cannot be used; <c>null</c> where it can.</summary>
    public static string? Refusal(ITypeSymbol type, IAssemblySymbol assembly) => type switch
    {
        { TypeKind: TypeKind.Error } or { BaseType.TypeKind: TypeKind.Error } => null,
        not INamedTypeSymbol { TypeKind: TypeKind.Class, IsGenericType: false } => "which is no class that can be created; name a class derived from JsonSerializerContext",
        INamedTypeSymbol named when !named.IsOrImplements(Json, "JsonSerializerContext") => "which does not derive from JsonSerializerContext; name a class that does",
        INamedTypeSymbol named when named.Of(Json, "JsonSerializableAttribute") is null => "which lists no type; add a [JsonSerializable(typeof(…))] for each type",
        INamedTypeSymbol named when !named.IsReachable() || (named.DeclaredAccessibility != Accessibility.Public && !SymbolEqualityComparer.Default.Equals(named.ContainingAssembly, assembly)) =>
            "which generated code cannot access; make it internal or public",
        _ => null,
    };
}
