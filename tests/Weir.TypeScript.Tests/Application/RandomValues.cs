using System.Globalization;
using System.Text;

namespace Weir.TypeScript.Tests.Application;

/// <summary>Values of every type, the same for the same seed.</summary>
internal sealed class RandomValues(int seed)
{
    private readonly Random _random = new(seed);

    public Everything Everything() => new(Scalars(), new Nullables(
        Maybe(Flag), Maybe(Long), Maybe(ULong), Maybe(Double), Maybe(Decimal), Rarely() ? null : Text(), Maybe(Guid), Maybe(DateTimeOffset), Maybe(() => Pick<Color>()), Rarely() ? null : Bytes(), Rarely() ? null : Scalars()), Lists(2),
        new Serialized(
            Many(Text).Distinct().ToDictionary(static one => one, _ => Many(Long)), Many(Text).Distinct().ToDictionary(static one => one, _ => Rarely() ? null : Text()), [.. Many(Int)],
            (Int128)Long() * Long(), new Uri("https://example.org/" + _random.Next().ToString(CultureInfo.InvariantCulture) + "?q=%20a"),
            [.. Many<Figure>(() => Flag() ? new Circle(Text(), Decimal()) : Flag() ? new Square(Text(), Long()) : new Dot(Text(), Double()))]));

    private Scalars Scalars() => new(
        Flag(), (byte)_random.Next(), (sbyte)_random.Next(), (short)_random.Next(), (ushort)_random.Next(), Int(), (uint)_random.NextInt64(), Long(), ULong(), Float(), Double(), Decimal(), Character(), Text(), Guid(),
        DateTime(), DateTimeOffset(), DateOnly.FromDateTime(DateTime()), TimeOnly.FromDateTime(DateTime()), new TimeSpan(Long() / 4), Bytes(), Pick<Color>(), (Access)_random.Next(8));

    private Lists Lists(int depth) => new(
        Many(Long), Many<decimal?>(() => Rarely() ? null : Decimal()), Many(Text), Many(() => Pick<Color>()), [.. Many(Scalars).Take(1)], depth > 0 && Flag() ? Lists(depth - 1) : null);

    private bool Flag() => _random.Next(2) == 0;

    private bool Rarely() => _random.Next(4) == 0;

    private int Int() => Rarely() ? Edge(int.MinValue, -1, 0, int.MaxValue) : _random.Next(int.MinValue, int.MaxValue);

    private long Long() => Rarely() ? Edge(long.MinValue, -1, 0, 9007199254740993, long.MaxValue) : _random.NextInt64(long.MinValue, long.MaxValue);

    private ulong ULong() => Rarely() ? Edge<ulong>(0, 9007199254740993, ulong.MaxValue) : unchecked((ulong)_random.NextInt64(long.MinValue, long.MaxValue));

    // JSON has no NaN and no infinity, and the zero of JavaScript's JSON has no sign.
    private float Float() => BitConverter.Int32BitsToSingle(_random.Next(int.MinValue, int.MaxValue)) is var number && float.IsFinite(number) && number != 0 ? number : 1.5f;

    private double Double() => Rarely() ? Edge(0.1, double.Epsilon, double.MaxValue, 1e21) : BitConverter.Int64BitsToDouble(Long()) is var number && double.IsFinite(number) && number != 0 ? number : -2.25;

    private decimal Decimal() => Rarely() ? Edge(decimal.MinValue, 0m, 0.10m, 1.0000000000000000000000000001m, decimal.MaxValue) : new decimal(Int(), Int(), Int(), Flag(), (byte)_random.Next(29));

    private char Character() => (char)_random.Next(0x20, 0xD7FF);

    private string Text()
    {
        var text = new StringBuilder();
        for (var count = _random.Next(6); count > 0; count--)
        {
            text.Append(_random.Next(8) switch
            {
                0 => "\"",
                1 => "\\",
                2 => "\n\t\0",
                3 => "😀",
                4 => "$weir",
                5 => "1.50",
                _ => Character().ToString(),
            });
        }

        return text.ToString();
    }

    private Guid Guid()
    {
        var bytes = new byte[16];
        _random.NextBytes(bytes);
        return new Guid(bytes);
    }

    private byte[] Bytes()
    {
        var bytes = new byte[_random.Next(5)];
        _random.NextBytes(bytes);
        return bytes;
    }

    private DateTime DateTime() => new(_random.NextInt64(System.DateTime.MaxValue.Ticks), DateTimeKind.Utc);

    private DateTimeOffset DateTimeOffset() => new(new DateTime(_random.NextInt64(System.DateTime.MaxValue.Ticks / 2) + (System.DateTime.MaxValue.Ticks / 4)), TimeSpan.FromMinutes(_random.Next(-840, 841)));

    private T Pick<T>()
        where T : struct, Enum => Edge(Enum.GetValues<T>());

    private T Edge<T>(params T[] values) => values[_random.Next(values.Length)];

    private T[] Many<T>(Func<T> make) => [.. Enumerable.Range(0, _random.Next(4)).Select(_ => make())];

    private T? Maybe<T>(Func<T> make)
        where T : struct => Rarely() ? null : make();
}
