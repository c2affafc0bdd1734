namespace Weir.Generator.Model;

/// <summary>A type with a name that is exchanged as JSON, as the contract describes it.</summary>
/// <param name="Name">Its name in the contract.</param>
/// <param name="Definition">A JSON object.</param>
/// <param name="References">The names of the types that its definition names.</param>
internal sealed record WireTypeModel(string Name, string Definition, EquatableArray<string> References);
