namespace Weir.LightNode.Tests.Contracts;

/// <summary>One operation for each type of parameter that LightNode converts: plain, nullable, and as an array. Bytes have no array there, and are bytes in Weir.</summary>
[Get, Post]
public abstract class ScalarOperations
{
    public bool Boolean(bool x) => x;

    public bool? BooleanOrNull(bool? x) => x;

    public bool[] Booleans(bool[] x) => x;

    public byte Byte(byte x) => x;

    public byte? ByteOrNull(byte? x) => x;

    public sbyte SByte(sbyte x) => x;

    public sbyte? SByteOrNull(sbyte? x) => x;

    public sbyte[] SBytes(sbyte[] x) => x;

    public short Int16(short x) => x;

    public short? Int16OrNull(short? x) => x;

    public short[] Int16s(short[] x) => x;

    public ushort UInt16(ushort x) => x;

    public ushort? UInt16OrNull(ushort? x) => x;

    public ushort[] UInt16s(ushort[] x) => x;

    public int Int32(int x) => x;

    public int? Int32OrNull(int? x) => x;

    public int[] Int32s(int[] x) => x;

    public uint UInt32(uint x) => x;

    public uint? UInt32OrNull(uint? x) => x;

    public uint[] UInt32s(uint[] x) => x;

    public long Int64(long x) => x;

    public long? Int64OrNull(long? x) => x;

    public long[] Int64s(long[] x) => x;

    public ulong UInt64(ulong x) => x;

    public ulong? UInt64OrNull(ulong? x) => x;

    public ulong[] UInt64s(ulong[] x) => x;

    public float Single(float x) => x;

    public float? SingleOrNull(float? x) => x;

    public float[] Singles(float[] x) => x;

    public double Double(double x) => x;

    public double? DoubleOrNull(double? x) => x;

    public double[] Doubles(double[] x) => x;

    public decimal Decimal(decimal x) => x;

    public decimal? DecimalOrNull(decimal? x) => x;

    public decimal[] Decimals(decimal[] x) => x;

    public char Char(char x) => x;

    public char? CharOrNull(char? x) => x;

    public char[] Chars(char[] x) => x;

    public DateTime DateTime(DateTime x) => x;

    public DateTime? DateTimeOrNull(DateTime? x) => x;

    public DateTime[] DateTimes(DateTime[] x) => x;

    public DateTimeOffset DateTimeOffset(DateTimeOffset x) => x;

    public DateTimeOffset? DateTimeOffsetOrNull(DateTimeOffset? x) => x;

    public DateTimeOffset[] DateTimeOffsets(DateTimeOffset[] x) => x;

    public TimeSpan TimeSpan(TimeSpan x) => x;

    public TimeSpan? TimeSpanOrNull(TimeSpan? x) => x;

    public TimeSpan[] TimeSpans(TimeSpan[] x) => x;

    public string String(string x) => x;

    public string? StringOrNull(string? x) => x;

    public string[] Strings(string[] x) => x;
}

[Service]
public sealed class Scalars : ScalarOperations;

[Service, Isolated(Workers.Pool)]
public sealed class IsolatedScalars : ScalarOperations;
