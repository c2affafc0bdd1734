using Weir.Runtime;

namespace Weir.Tests.Contract;

/// <summary>Input that the parsers of the framework accept although it is not a valid value of the type.</summary>
public sealed class ScalarTests
{
    [Theory]
    [InlineData("5\0")]
    [InlineData("-5\0\0")]
    public void A_number_has_no_trailing_characters(string text)
    {
        Assert.False(Scalars.Int32.TryParse(text, out _));
        Assert.False(Scalars.Int64.TryParse(text, out _));
        Assert.False(Scalars.Double.TryParse(text, out _));
        Assert.False(Scalars.Decimal.TryParse(text, out _));
        Assert.False(PlainScalar.Instance.TryParse(text, out _));
    }

    [Theory]
    [InlineData("18446744073709551615", true)]
    [InlineData("18446744073709551615\0", false)]
    [InlineData("1\0", false)]
    public void The_number_of_an_enum_has_no_trailing_characters(string text, bool fits) => Assert.Equal(fits, UnsignedScalar.Instance.TryParse(text, out _));

    [Theory]
    [InlineData(" 0f8fad5b-d9cb-469f-a165-70867728950e")]
    [InlineData("0f8fad5b-d9cb-469f-a165-70867728950e ")]
    [InlineData("0x8fad5b-d9cb-469f-a165-70867728950e")]
    [InlineData("+f8fad5b-d9cb-469f-a165-70867728950e")]
    [InlineData("0f8fad5b-0xcb-469f-a165-70867728950e")]
    [InlineData("0f8fad5bd9cb469fa16570867728950e")]
    public void A_guid_is_32_digits_with_hyphens_and_nothing_else(string text)
    {
        Assert.True(Scalars.Guid.TryParse("0F8fad5b-d9cb-469f-a165-70867728950e", out _));
        Assert.False(Scalars.Guid.TryParse(text, out _));
    }

    [Theory]
    [InlineData(" 01:00:00")]
    [InlineData("01:00:00 ")]
    [InlineData("5")]
    [InlineData("1:2")]
    [InlineData("1.2:3")]
    [InlineData("1.02:03:.5")]
    public void A_time_span_has_hours_minutes_and_seconds(string text)
    {
        Assert.True(Scalars.TimeSpan.TryParse("-1.02:03:04.5", out var value));
        Assert.Equal(new TimeSpan(-1, -2, -3, -4, -500), value);
        Assert.False(Scalars.TimeSpan.TryParse(text, out _));
    }

    [Theory]
    [InlineData("2026-01-31T12:00:00.")]
    [InlineData("2026-01-31T12:00:00.Z")]
    [InlineData("2026-01-31T12:00:00+0100")]
    [InlineData("2026-01-31T12:00:00+1:00")]
    [InlineData("2026-01-31T12:00:00-1")]
    public void A_date_and_time_has_a_fraction_behind_its_point_and_minutes_in_its_offset(string text)
    {
        Assert.True(Scalars.DateTime.TryParse("2026-01-31T12:00:00.5+01:00", out _));
        Assert.True(Scalars.DateTimeOffset.TryParse("2026-01-31T12:00-14:00", out _));
        Assert.False(Scalars.DateTime.TryParse(text, out _));
        Assert.False(Scalars.DateTimeOffset.TryParse(text, out _));
    }

    [Fact]
    public void A_time_with_a_fraction_is_written_as_the_serializer_writes_it()
    {
        using var output = new PayloadWriter();
        Scalars.TimeOnly.Write(output, new TimeOnly(12, 0, 0, 500));

        Assert.Equal("\"12:00:00.5000000\""u8, output.WrittenSpan);
        Assert.False(Scalars.TimeOnly.TryParse("12:00:00.", out _));
    }

    [Theory]
    [InlineData("    AAAA")]
    [InlineData("AA AA")]
    [InlineData("AAAA\n")]
    public void Base64_of_a_query_whose_plus_became_a_space_is_not_read_as_other_bytes(string text)
    {
        Assert.True(Scalars.Bytes.TryParse("++++AAAA", out var value));
        Assert.Equal(6, value.Length);
        Assert.False(Scalars.Bytes.TryParse(text, out _));
    }

    private enum Plain
    {
        Five = 5,
    }

    private enum Unsigned : ulong
    {
        One = 1,
        Last = ulong.MaxValue,
    }

    private sealed class PlainScalar : EnumScalar<Plain>
    {
        internal static readonly PlainScalar Instance = new();

        public override string Expected => nameof(Plain.Five);

        protected override bool TryGetBits(ReadOnlySpan<char> name, out long bits)
        {
            bits = 5;
            return name is nameof(Plain.Five);
        }

        protected override string? GetName(long bits) => bits is 5 or -5 ? nameof(Plain.Five) : null;

        protected override Plain FromBits(long bits) => (Plain)bits;

        protected override long ToBits(Plain value) => (long)value;
    }

    private sealed class UnsignedScalar : EnumScalar<Unsigned>
    {
        internal static readonly UnsignedScalar Instance = new();

        public override string Expected => nameof(Unsigned.One);

        protected override bool IsUnsigned64 => true;

        protected override bool TryGetBits(ReadOnlySpan<char> name, out long bits)
        {
            bits = 1;
            return name is nameof(Unsigned.One);
        }

        protected override string? GetName(long bits) => bits is 1 or -1 ? nameof(Unsigned.One) : null;

        protected override Unsigned FromBits(long bits) => unchecked((Unsigned)bits);

        protected override long ToBits(Unsigned value) => unchecked((long)value);
    }
}
