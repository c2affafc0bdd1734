namespace Weir;

/// <summary>An enum as requests and responses have it. Immutable.</summary>
/// <param name="Type">The enum.</param>
/// <param name="Names">The names by which its values are written, in the order of their declaration, each value once.</param>
/// <param name="IsFlags">Whether several names, joined by commas, are a value too.</param>
public sealed record EnumDescription(Type Type, IReadOnlyList<string> Names, bool IsFlags);
