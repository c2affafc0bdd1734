using System.Text.Json.Serialization;

namespace Weir.TypeScript.Tests.Application;

/// <summary>An enum with a name of its own on the wire.</summary>
public enum Color
{
    Red,
    [JsonStringEnumMemberName("dark-green")]
    Green,
    Blue,
}

[Flags]
public enum Access
{
    None,
    Read = 1,
    Write = 2,
    Run = 4,
}

/// <summary>One value of every scalar type.</summary>
public sealed record Scalars(
    bool Flag, byte Byte, sbyte SByte, short Short, ushort UShort, int Int, uint UInt, long Long, ulong ULong, float Float, double Double, decimal Decimal, char Char, string Text,
    Guid Guid, DateTime DateTime, DateTimeOffset DateTimeOffset, DateOnly Date, TimeOnly Time, TimeSpan Duration, byte[] Bytes, Color Color, Access Access);

/// <summary>The same, where null is a value.</summary>
public sealed record Nullables(
    bool? Flag, long? Long, ulong? ULong, double? Double, decimal? Decimal, string? Text, Guid? Guid, DateTimeOffset? DateTimeOffset, Color? Color, byte[]? Bytes, Scalars? Scalars);

/// <summary>Lists, and an object that contains itself.</summary>
public sealed record Lists(long[] Longs, IReadOnlyList<decimal?> Decimals, string[] Texts, Color[] Colors, List<Scalars> Scalars, Lists? Below);

[JsonDerivedType(typeof(Circle), "circle")]
[JsonDerivedType(typeof(Square), "square")]
[JsonDerivedType(typeof(Dot), "dot")]
[JsonDerivedType(typeof(Label))]
public abstract record Figure(string Id);

public sealed record Circle(string Id, decimal Radius) : Figure(Id);

public sealed record Square(string Id, long Side) : Figure(Id);

/// <summary>Its radius is another kind of number than that of a circle.</summary>
public sealed record Dot(string Id, double Radius) : Figure(Id);

/// <summary>Sent without a discriminator, so it is only ever a result.</summary>
public sealed record Label(string Id, long Number) : Figure(Id);

/// <summary>What only the serializer reads and writes.</summary>
public sealed record Serialized(Dictionary<string, long[]> Numbers, Dictionary<string, string?> Texts, HashSet<int> Set, Int128 Huge, Uri Address, Figure[] Figures);

/// <summary>Members that a request may leave out.</summary>
public sealed class Settings
{
    public required string Name { get; set; }

    public int Size { get; set; } = 3;

    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Note { get; set; }

    public int Total => Size * 2;
}

/// <summary>All of it: what a test sends there and back.</summary>
public sealed record Everything(Scalars Scalars, Nullables Nullables, Lists Lists, Serialized Serialized);
