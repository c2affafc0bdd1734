namespace Weir;

/// <summary>A parameter that callers supply; tokens, contexts and services are not among them.</summary>
/// <param name="Name">As declared; callers may write it in any case.</param>
/// <param name="TypeName">The type as C# writes it, for people.</param>
/// <param name="Source">Where its value comes from.</param>
/// <param name="IsOptional">Whether it may be absent.</param>
public sealed record Parameter(string Name, string TypeName, ParameterSource Source, bool IsOptional);
