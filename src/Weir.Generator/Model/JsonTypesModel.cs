namespace Weir.Generator.Model;

/// <summary>What the serializer has to know about the types of an assembly's operations.</summary>
/// <param name="Enums">Each exchanged enum and its generated class.</param>
/// <param name="Serialized">The types that only the serializer reads and writes, over HTTP.</param>
/// <param name="All">All types over HTTP, of parameters, results and items.</param>
/// <param name="Workers">The types that the serializer reads and writes between host and worker.</param>
internal sealed record JsonTypesModel(EquatableArray<EnumCodecModel> Enums, EquatableArray<string> Serialized, EquatableArray<string> All, EquatableArray<string> Workers);

/// <summary>An enum and its generated class.</summary>
internal sealed record EnumCodecModel(string Type, string Codec);
