namespace Weir.Generator.Parsing.Types;

/// <summary>Why a type cannot be exchanged, and where in it.</summary>
/// <param name="Path">The path from the outer type: <c>.Extra</c>, <c>[].Tag</c>; empty for the type itself.</param>
/// <param name="Reason">What is there and what to do: <c>object, which has no fixed members; …</c>.</param>
internal sealed record TypeFailure(string Path, string Reason)
{
    /// <summary>A type that does not compile: the compiler reports it, so Weir does not.</summary>
    public static TypeFailure Unknown { get; } = new("", "");

    public bool IsUnknown => Reason.Length == 0;

    /// <summary>Whether only generated code cannot exchange the type: the serializer may.</summary>
    public bool IsForSerializer { get; init; }

    public TypeFailure Below(string step) => this with { Path = step + Path };

    /// <summary>As a sentence about an outer type.</summary>
    public string Describe(string outer) => Path.Length == 0 ? $"its type is {Reason}" : $"{outer}{Path} is {Reason}";
}
