namespace Weir.Generator.Model;

/// <summary>A type that services exchange and that needs a generated class.</summary>
/// <param name="Type">Fully qualified, with the annotations of its arguments: the identity.</param>
/// <param name="Codec">The generated class's name.</param>
internal abstract record TypeModel(string Type, string Codec);

/// <summary>An enum.</summary>
/// <param name="Type">Fully qualified, with the annotations of its arguments: the identity.</param>
/// <param name="Codec">The generated class's name.</param>
/// <param name="Names">Every name that is accepted, in order of declaration.</param>
/// <param name="IsFlags">Whether combinations are values.</param>
/// <param name="IsUnsigned64">Whether the underlying type is <c>ulong</c>.</param>
internal sealed record EnumModel(string Type, string Codec, EquatableArray<EnumNameModel> Names, bool IsFlags, bool IsUnsigned64)
    : TypeModel(Type, Codec)
{
    /// <summary>The value of the member marked <c>[EnumFallback]</c>, as bits, for clients; <c>null</c> without one.</summary>
    public long? Fallback { get; init; }
}

/// <summary>A name of an enum and its value, as bits.</summary>
internal sealed record EnumNameModel(string Name, long Bits);

/// <summary>A record, class or structure whose properties are the members of a JSON object.</summary>
/// <param name="Type">Fully qualified, with the annotations of its arguments: the identity.</param>
/// <param name="Codec">The generated class's name.</param>
/// <param name="Display">As people write it.</param>
/// <param name="IsValueType">Whether it is a structure.</param>
/// <param name="Members">Its properties; those of the constructor know their position there.</param>
internal sealed record ObjectModel(string Type, string Codec, string Display, bool IsValueType, EquatableArray<MemberModel> Members)
    : TypeModel(Type, Codec);
