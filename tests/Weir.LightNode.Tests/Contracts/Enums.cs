using System.Diagnostics.CodeAnalysis;
using System.Runtime.Serialization;
using System.Text.Json.Serialization;

namespace Weir.LightNode.Tests.Contracts;

public enum Fruit
{
    Grape = 1,
    Orange = 2,
    Apple = 3,
}

public enum MyEnum
{
    A = 0,
    B = 1,
    C = 2,
    D = 300,
}

/// <summary>The bit of 8 has no name.</summary>
[Flags]
public enum MyFlagEnum
{
    A = 0,
    B = 1,
    C = 2,
    D = 4,
    E = 16,
}

/// <summary>Two names for one value, with which LightNode does not start.</summary>
[SuppressMessage("Design", "CA1069:Enums values should not be duplicated", Justification = "Two names for one value are what is tested.")]
public enum Aliased
{
    First = 1,
    Second = 1,
    Other = 2,
}

public enum Renamed
{
    [JsonStringEnumMemberName("red-ish")]
    Red,
    [EnumMember(Value = "grün")]
    Green,
}

public enum SmallSigned : sbyte
{
    Lowest = sbyte.MinValue,
    Highest = sbyte.MaxValue,
}

public enum SmallUnsigned : byte
{
    Lowest = byte.MinValue,
    Highest = byte.MaxValue,
}

public enum ShortSigned : short
{
    Lowest = short.MinValue,
    Highest = short.MaxValue,
}

public enum ShortUnsigned : ushort
{
    Lowest = ushort.MinValue,
    Highest = ushort.MaxValue,
}

public enum Signed
{
    Lowest = int.MinValue,
    Highest = int.MaxValue,
}

public enum Unsigned : uint
{
    Lowest = uint.MinValue,
    Highest = uint.MaxValue,
}

public enum LongSigned : long
{
    Lowest = long.MinValue,
    Highest = long.MaxValue,
}

public enum LongUnsigned : ulong
{
    Lowest = ulong.MinValue,
    Highest = ulong.MaxValue,
}

[Flags]
public enum LongFlags : ulong
{
    None = 0,
    Lowest = 1,
    Highest = 1UL << 63,
}
