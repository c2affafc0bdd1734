namespace Weir.LightNode.Tests.Contracts;

/// <summary>Enums as parameters of every shape, of every underlying type.</summary>
[Get, Post]
public abstract class EnumOperations
{
    public string Enum(Fruit fruit) => $"{fruit}";

    public string? EnumNullable(Fruit? fruit) => fruit is { } value ? $"{value}" : null;

    public string EnumDefaultValue(Fruit fruit = Fruit.Apple) => $"{fruit}";

    public string? EnumNullableDefaultValue(Fruit? fruit = Fruit.Apple) => fruit is { } value ? $"{value}" : null;

    public string EnumArray(Fruit[] fruit) => fruit.Length == 0 ? "Empty" : string.Join(',', fruit);

    public string FlagArray(MyFlagEnum[] e) => string.Join('|', e.Select(static one => (int)one));

    public MyEnum MyEnum(MyEnum e) => e;

    public MyFlagEnum MyFlagEnum(MyFlagEnum e) => e;

    public Aliased Aliased(Aliased e) => e;

    public Renamed Renamed(Renamed e) => e;

    public SmallSigned SmallSigned(SmallSigned e) => e;

    public SmallUnsigned SmallUnsigned(SmallUnsigned e) => e;

    public ShortSigned ShortSigned(ShortSigned e) => e;

    public ShortUnsigned ShortUnsigned(ShortUnsigned e) => e;

    public Signed Signed(Signed e) => e;

    public Unsigned Unsigned(Unsigned e) => e;

    public LongSigned LongSigned(LongSigned e) => e;

    public LongUnsigned LongUnsigned(LongUnsigned e) => e;

    public LongFlags LongFlags(LongFlags e) => e;

    /// <summary>A parameter's value as a number: shows that names and numbers are the same value.</summary>
    public int Number(MyEnum e, MyFlagEnum f = Contracts.MyFlagEnum.A) => (int)e + (1000 * (int)f);
}

[Service]
public sealed class EnumContract : EnumOperations;

[Service, Isolated(Workers.Pool)]
public sealed class IsolatedEnumContract : EnumOperations;
