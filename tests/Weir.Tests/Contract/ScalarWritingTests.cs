using System.Text;
using System.Text.Json;
using Weir.Runtime;

namespace Weir.Tests.Contract;

/// <summary>Scalars are written without the JSON writer, and byte for byte as it writes them.</summary>
public sealed class ScalarWritingTests
{
    private const int Values = 20_000;

    [Fact]
    public void Every_character_is_written_as_the_JSON_writer_writes_it()
    {
        for (var character = '\0'; character < char.MaxValue; character++)
        {
            AssertSame(Scalars.Char, character, static (writer, value) => writer.WriteStringValue([value]));
            AssertSame(Scalars.String, $"{character}x", static (writer, value) => writer.WriteStringValue(value));
        }
    }

    [Fact]
    public void Text_of_any_length_with_surrogates_in_any_place_is_written_as_the_JSON_writer_writes_it()
    {
        string[] parts = ["a", "plain text, ", "\"", "\\", "\n", "\u007f", "é", "Ж", "€", "\u2028", "\ud83d\ude00", "\ud83d", "\ude00", "<&'+"];
        var random = new Random(1);
        for (var round = 0; round < Values; round++)
        {
            var text = new StringBuilder();
            var kinds = random.Next(1, parts.Length + 1);
            for (var left = random.Next(round % 50 == 0 ? 900 : 40); left > 0; left--)
            {
                text.Append(parts[random.Next(kinds)]);
            }

            AssertSame(Scalars.String, text.ToString(), static (writer, value) => writer.WriteStringValue(value));
        }
    }

    [Fact]
    public void Numbers_are_written_as_the_JSON_writer_writes_them()
    {
        var random = new Random(1);
        for (var round = 0; round < Values; round++)
        {
            var bits = random.NextInt64(long.MinValue, long.MaxValue) >> random.Next(64);
            AssertSame(Scalars.Int64, bits, static (writer, value) => writer.WriteNumberValue(value));
            AssertSame(Scalars.UInt64, (ulong)bits, static (writer, value) => writer.WriteNumberValue(value));
            AssertSame(Scalars.Int32, (int)bits, static (writer, value) => writer.WriteNumberValue(value));
            AssertSame(Scalars.UInt32, (uint)bits, static (writer, value) => writer.WriteNumberValue(value));
            AssertSame(Scalars.Int16, (short)bits, static (writer, value) => writer.WriteNumberValue(value));
            AssertSame(Scalars.UInt16, (ushort)bits, static (writer, value) => writer.WriteNumberValue(value));
            AssertSame(Scalars.SByte, (sbyte)bits, static (writer, value) => writer.WriteNumberValue(value));
            AssertSame(Scalars.Byte, (byte)bits, static (writer, value) => writer.WriteNumberValue(value));
            AssertSame(Scalars.Decimal, new decimal(random.Next(), random.Next(), random.Next(3) == 0 ? random.Next() : 0, round % 2 == 0, (byte)random.Next(29)), static (writer, value) => writer.WriteNumberValue(value));
            AssertSame(Scalars.Double, bits / Math.Pow(10, random.Next(20)), static (writer, value) => writer.WriteNumberValue(value));
            AssertFinite(Scalars.Double, BitConverter.Int64BitsToDouble(random.NextInt64(long.MinValue, long.MaxValue)), static (writer, value) => writer.WriteNumberValue(value));
            AssertFinite(Scalars.Single, BitConverter.Int32BitsToSingle(random.Next(int.MinValue, int.MaxValue)), static (writer, value) => writer.WriteNumberValue(value));
        }

        AssertSame(Scalars.Decimal, decimal.MinValue, static (writer, value) => writer.WriteNumberValue(value));
        AssertSame(Scalars.Decimal, new decimal(-1, -1, -1, isNegative: true, 28), static (writer, value) => writer.WriteNumberValue(value));
        AssertSame(Scalars.Decimal, new decimal(1, 0, 0, isNegative: true, 28), static (writer, value) => writer.WriteNumberValue(value));
        AssertSame(Scalars.Decimal, new decimal(0, 0, 0, isNegative: true, 1), static (writer, value) => writer.WriteNumberValue(value));
        AssertSame(Scalars.Double, -0.0, static (writer, value) => writer.WriteNumberValue(value));
        AssertSame(Scalars.Double, double.MinValue, static (writer, value) => writer.WriteNumberValue(value));
        AssertSame(Scalars.Double, -double.Epsilon, static (writer, value) => writer.WriteNumberValue(value));
        AssertSame(Scalars.Boolean, true, static (writer, value) => writer.WriteBooleanValue(value));
        AssertSame(Scalars.Boolean, false, static (writer, value) => writer.WriteBooleanValue(value));
    }

    [Theory]
    [InlineData(double.NaN)]
    [InlineData(double.PositiveInfinity)]
    [InlineData(double.NegativeInfinity)]
    public void A_number_that_JSON_does_not_have_is_refused(double value)
    {
        using var output = new PayloadWriter();

        Assert.Throws<ArgumentException>(() => Scalars.Double.Write(output, value));
        Assert.Throws<ArgumentException>(() => Scalars.Single.Write(output, (float)value));
        Assert.Equal(0, output.Length);
    }

    [Fact]
    public void Times_identifiers_and_bytes_are_written_as_the_JSON_writer_writes_them()
    {
        var random = new Random(1);
        for (var round = 0; round < Values; round++)
        {
            // Whole seconds, and fractions of one to seven digits.
            var unit = (long)Math.Pow(10, round % 8);
            var ticks = random.NextInt64(DateTime.MaxValue.Ticks - TimeSpan.TicksPerDay) / unit * unit;
            AssertSame(Scalars.DateTime, new DateTime(ticks, (DateTimeKind)(round % 3)), static (writer, value) => writer.WriteStringValue(value));
            AssertSame(Scalars.DateTimeOffset, new DateTimeOffset(TimeSpan.TicksPerDay + ticks - (ticks % unit), TimeSpan.FromMinutes(random.Next(-840, 841))), static (writer, value) => writer.WriteStringValue(value));
            var bytes = new byte[random.Next(64)];
            random.NextBytes(bytes);
            AssertSame(Scalars.Bytes, bytes, static (writer, value) => writer.WriteBase64StringValue(value));
            AssertSame(Scalars.Guid, bytes.Length < 16 ? Guid.Empty : new Guid(bytes.AsSpan(0, 16)), static (writer, value) => writer.WriteStringValue(value));
        }

        AssertSame(Scalars.DateTime, DateTime.MaxValue, static (writer, value) => writer.WriteStringValue(value));
        AssertSame(Scalars.DateTime, DateTime.MinValue, static (writer, value) => writer.WriteStringValue(value));
        AssertSame(Scalars.DateTimeOffset, DateTimeOffset.UnixEpoch, static (writer, value) => writer.WriteStringValue(value));
        AssertSame(Scalars.TimeSpan, TimeSpan.MinValue, static (writer, value) => JsonSerializer.Serialize(writer, value));
    }

    private static void AssertFinite<T>(Scalar<T> scalar, T value, Action<Utf8JsonWriter, T> write)
        where T : System.Numerics.INumberBase<T>
    {
        if (T.IsFinite(value))
        {
            AssertSame(scalar, value, write);
        }
    }

    private static void AssertSame<T>(Scalar<T> scalar, T value, Action<Utf8JsonWriter, T> write)
    {
        using var written = new PayloadWriter();
        scalar.Write(written, value);
        using var expected = new PayloadWriter();
        write(expected.BeginJson(), value);
        expected.EndJson();

        if (!expected.WrittenSpan.SequenceEqual(written.WrittenSpan))
        {
            Assert.Equal(Encoding.UTF8.GetString(expected.WrittenSpan), Encoding.UTF8.GetString(written.WrittenSpan));
        }
    }
}
