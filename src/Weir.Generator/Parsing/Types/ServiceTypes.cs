using Microsoft.CodeAnalysis;

namespace Weir.Generator.Parsing.Types;

/// <summary>The types that the container supplies, so that a parameter of them needs no attribute.</summary>
internal static class ServiceTypes
{
    private const string Json = "System.Text.Json.Serialization";

    /// <summary>Whether a type is a service: an interface that is no collection, or an abstract class, and JSON can choose no class for it.</summary>
    public static bool IsService(ITypeSymbol declared)
    {
        var type = TypeNames.Core(declared);
        return type switch
        {
            { TypeKind: TypeKind.Interface } => !IsData(type),
            { TypeKind: TypeKind.Class, IsAbstract: true, IsStatic: false } => !IsData(type) && (!type.IsFramework() || IsOpenFramework(type)),
            _ => false,
        };
    }

    /// <summary>The first service that every public constructor of a class takes: then the class is probably a service itself; <c>null</c> for others.</summary>
    public static IParameterSymbol? TakenBy(INamedTypeSymbol type)
    {
        var constructors = type.InstanceConstructors.Where(static one => one.DeclaredAccessibility == Accessibility.Public).ToList();
        var taken = constructors.ConvertAll(static one => one.Parameters.FirstOrDefault(static parameter => IsService(parameter.Type)));
        return taken.Count > 0 && taken.TrueForAll(static one => one is not null) ? taken[0] : null;
    }

    private static bool IsData(ITypeSymbol type) =>
        ListTypes.IsCollection(type)
        || type.ArgumentOf("System.Collections.Generic", "IAsyncEnumerable`1") is not null
        || type.Is("Microsoft.AspNetCore.Http", "IFormFile")
        || type.Of(Json, "JsonDerivedTypeAttribute") is not null
        || type.Of(Json, "JsonPolymorphicAttribute") is not null
        || type.Of(Json, "JsonConverterAttribute") is not null;

    // Stream, Type, Delegate, ChannelReader<T> and their like are nothing that a container holds.
    private static bool IsOpenFramework(ITypeSymbol type) =>
        type.Is("System", "TimeProvider")
        || !(type.IsIn("System") || type.IsBelow("System.IO") || type.IsBelow("System.Reflection") || type.IsBelow("System.Threading.Channels"));
}
