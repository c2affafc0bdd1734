using System.Text;
using System.Text.Json.Serialization;
using Weir.TypeScript.Tests.Application.Named;

namespace Weir.TypeScript.Tests.Application;

/// <summary>Names that JavaScript, TypeScript or the written client need for themselves.</summary>
[Service]
public sealed class Names
{
    /// <summary>Says which arguments it received: an object has a member of each name by itself.</summary>
    [Get]
    public string constructor(string constructor = "-", string toString = "-", string __proto__ = "-", string valueOf = "-", string[]? hasOwnProperty = null) =>
        $"{constructor}|{toString}|{__proto__}|{valueOf}|{hasOwnProperty?.Length}";

    /// <summary>The same in a body.</summary>
    public string __proto__(string? constructor = "-", string? toString = "-", string? __proto__ = "-", long? valueOf = null) => $"{constructor}|{toString}|{__proto__}|{valueOf}";

    public int @delete(int @default, int @enum, int arguments, int eval, int undefined, int await) => @default + @enum + arguments + eval + undefined + await;

    public string then() => "then";

    public string toString() => "toString";

    public Members prototype(Members value) => value;

    public Types Promise(Types value) => value;

    public Generics Uint8Array(Generics value) => value;

    public Named.Tone[] Tones(Named.Tone[] tones) => tones;

    public Named.Nothing? None(Named.Nothing? value) => value;

    public Shape @switch(Shape value) => value;

    public string ünïcode(string größe) => größe;

    /// <summary>Null, or bytes; those of the word <c>null</c> too.</summary>
    [Get]
    public byte[]? Bytes(string? text) => text is null ? null : Encoding.UTF8.GetBytes(text);

    [Get]
    public ReadOnlyMemory<byte>? Memory(string? text) => text is null ? (ReadOnlyMemory<byte>?)null : Encoding.UTF8.GetBytes(text);

    /// <summary>Breaks its promise.</summary>
    [Get]
    public byte[] NoBytes() => null!;
}

/// <summary>Members of numbers that must stay exact, with names that every object has.</summary>
public sealed record Members(long constructor, long __proto__, long valueOf, string then, string hasOwnProperty, string @class, string größe);

/// <summary>Types with names that the client uses.</summary>
public sealed record Types(
    Promise Promise, Named.Uint8Array Uint8Array, Date Date, Map Map, Named.Object Object, Error Error, Named.Client Client, IdleTimer IdleTimer, WeirConnection WeirConnection, NamedTypes NamedTypes, Function Function, Symbol Symbol);

/// <summary>Types within generic ones.</summary>
public sealed record Generics(
    Outer<int>.Inner A, Outer<string>.Inner B, Outer<int>.Inner[] C, Outer<int?>.Inner? D, Outer<int>.Mode E, Outer<int>.Deep<string>.Deeper F, Outer<Outer<int>.Inner>.Inner G, Box<Box<int[]>> H, Box<string?[]?> I, Outer<long>.Inner J);

public sealed class Outer<T>
{
    public enum Mode
    {
        On,
        Off,
    }

    public sealed record Inner(T Value);

    public sealed class Deep<TU>
    {
        public sealed record Deeper(T First, TU Second);
    }
}

public sealed record Box<T>(T Value);

[JsonPolymorphic(TypeDiscriminatorPropertyName = "constructor")]
[JsonDerivedType(typeof(Cube), "__proto__")]
[JsonDerivedType(typeof(Ball), "toString")]
public abstract record Shape(long Id);

public sealed record Cube(long Id, long Side) : Shape(Id);

public sealed record Ball(long Id, double Side) : Shape(Id);
