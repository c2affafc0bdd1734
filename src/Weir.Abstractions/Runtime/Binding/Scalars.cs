using System.Buffers;
using System.ComponentModel;
using System.Globalization;

namespace Weir.Runtime;

/// <summary>The scalars of an operation's parameters and results. Dates and times are ISO 8601; spans are <c>[-][d.]hh:mm:ss[.fffffff]</c>.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class Scalars
{
    private const NumberStyles Whole = NumberStyles.AllowLeadingSign;
    private const NumberStyles Fraction = NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent;

    // Created when they are used: together they are 30 methods that the runtime compiles, before a worker is ready. Immutable, so it does not
    // matter if two threads create one.
    private static Scalar<string>? _string;
    private static Scalar<bool>? _boolean;
    private static Scalar<byte>? _byte;
    private static Scalar<sbyte>? _sByte;
    private static Scalar<short>? _int16;
    private static Scalar<ushort>? _uInt16;
    private static Scalar<int>? _int32;
    private static Scalar<uint>? _uInt32;
    private static Scalar<long>? _int64;
    private static Scalar<ulong>? _uInt64;
    private static Scalar<float>? _single;
    private static Scalar<double>? _double;
    private static Scalar<decimal>? _decimal;
    private static Scalar<char>? _char;
    private static Scalar<Guid>? _guid;
    private static Scalar<DateTime>? _dateTime;
    private static Scalar<DateTimeOffset>? _dateTimeOffset;
    private static Scalar<DateOnly>? _dateOnly;
    private static Scalar<TimeOnly>? _timeOnly;
    private static Scalar<TimeSpan>? _timeSpan;
    private static Scalar<Uri>? _uri;
    private static Scalar<byte[]>? _bytes;

    /// <summary>Text.</summary>
    public static Scalar<string> String => _string ??= new StringScalar();

    /// <summary><c>true</c> or <c>false</c>.</summary>
    public static Scalar<bool> Boolean => _boolean ??= new BooleanScalar();

    /// <summary>An 8-bit unsigned number.</summary>
    public static Scalar<byte> Byte => _byte ??= new NumberScalar<byte>("a whole number from 0 to 255", Whole);

    /// <summary>An 8-bit number.</summary>
    public static Scalar<sbyte> SByte => _sByte ??= new NumberScalar<sbyte>("a whole number from -128 to 127", Whole);

    /// <summary>A 16-bit number.</summary>
    public static Scalar<short> Int16 => _int16 ??= new NumberScalar<short>("a whole number from -32768 to 32767", Whole);

    /// <summary>A 16-bit unsigned number.</summary>
    public static Scalar<ushort> UInt16 => _uInt16 ??= new NumberScalar<ushort>("a whole number from 0 to 65535", Whole);

    /// <summary>A 32-bit number.</summary>
    public static Scalar<int> Int32 => _int32 ??= new NumberScalar<int>("a whole number from -2147483648 to 2147483647", Whole);

    /// <summary>A 32-bit unsigned number.</summary>
    public static Scalar<uint> UInt32 => _uInt32 ??= new NumberScalar<uint>("a whole number from 0 to 4294967295", Whole);

    /// <summary>A 64-bit number.</summary>
    public static Scalar<long> Int64 => _int64 ??= new NumberScalar<long>("a whole number of 64 bits", Whole);

    /// <summary>A 64-bit unsigned number.</summary>
    public static Scalar<ulong> UInt64 => _uInt64 ??= new NumberScalar<ulong>("a whole number of 64 bits, not negative", Whole);

    /// <summary>A 32-bit binary fraction.</summary>
    public static Scalar<float> Single => _single ??= new NumberScalar<float>("a finite number", Fraction);

    /// <summary>A 64-bit binary fraction.</summary>
    public static Scalar<double> Double => _double ??= new NumberScalar<double>("a finite number", Fraction);

    /// <summary>A decimal fraction of 96 bits.</summary>
    public static Scalar<decimal> Decimal => _decimal ??= new NumberScalar<decimal>("a decimal number", Fraction);

    /// <summary>One UTF-16 character.</summary>
    public static Scalar<char> Char => _char ??= new TextScalar<char>("one character", 1, TryChar, static (output, value) => JsonString.Write(output, new ReadOnlySpan<char>(in value)));

    /// <summary>A GUID of 32 digits with hyphens.</summary>
    public static Scalar<Guid> Guid => _guid ??= new TextScalar<Guid>(
        "a GUID: xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", 36, TryGuid, static (output, value) => Text.Write(output, value, "D"));

    /// <summary>A date and time: <c>2026-01-31T12:00:00</c>, with fractions and <c>Z</c> or an offset if wanted.</summary>
    public static Scalar<DateTime> DateTime => _dateTime ??= new TextScalar<DateTime>(
        "a date and time: 2026-01-31T12:00:00Z", 40, TryDateTime, static (output, value) => Text.WriteTime(output, value));

    /// <summary>A date and time with an offset: <c>2026-01-31T12:00:00+01:00</c>. Without one, it is UTC.</summary>
    public static Scalar<DateTimeOffset> DateTimeOffset => _dateTimeOffset ??= new TextScalar<DateTimeOffset>(
        "a date, time and offset: 2026-01-31T12:00:00+01:00", 40, TryDateTimeOffset, static (output, value) => Text.WriteTime(output, value));

    /// <summary>A date: <c>2026-01-31</c>.</summary>
    public static Scalar<DateOnly> DateOnly => _dateOnly ??= new TextScalar<DateOnly>(
        "a date: 2026-01-31",
        10,
        static (text, out value) => System.DateOnly.TryParseExact(text, "yyyy-MM-dd", CultureInfo.InvariantCulture, DateTimeStyles.None, out value),
        static (output, value) => Text.Write(output, value, "O"));

    /// <summary>A time of day: <c>12:00</c>, <c>12:00:00</c>, with fractions if wanted.</summary>
    public static Scalar<TimeOnly> TimeOnly => _timeOnly ??= new TextScalar<TimeOnly>(
        "a time: 12:00:00",
        16,
        TryTimeOnly,
        static (output, value) => Text.Write(output, value.ToTimeSpan(), "c"));

    /// <summary>A span of time: <c>[-][d.]hh:mm:ss[.fffffff]</c>.</summary>
    public static Scalar<TimeSpan> TimeSpan => _timeSpan ??= new TextScalar<TimeSpan>(
        "a span of time: [-][d.]hh:mm:ss[.fffffff]",
        26,
        TryTimeSpan,
        static (output, value) => Text.Write(output, value, "c"));

    /// <summary>URIs, absolute and relative.</summary>
    public static Scalar<Uri> Uri => _uri ??= new UriScalar();

    /// <summary>Bytes in base64.</summary>
    public static Scalar<byte[]> Bytes => _bytes ??= new BytesScalar();

    private static bool TryChar(ReadOnlySpan<char> text, out char value)
    {
        value = text.Length == 1 ? text[0] : default;
        return text.Length == 1;
    }

    // The framework also accepts white space around it, and 0x or a sign in its parts.
    private static bool TryGuid(ReadOnlySpan<char> text, out Guid value)
    {
        value = default;
        return text.Length == 36 && !text.ContainsAnyExcept(Forms.GuidCharacters) && System.Guid.TryParseExact(text, "D", out value);
    }

    // The framework also accepts white space around it, and omitted seconds, before a fraction too, or days alone: "5" would be five days.
    private static bool TryTimeSpan(ReadOnlySpan<char> text, out TimeSpan value)
    {
        value = default;
        return text.Count(':') == 2 && !text.Contains(' ') && !text.Contains(":.", StringComparison.Ordinal) && System.TimeSpan.TryParseExact(text, "c", CultureInfo.InvariantCulture, out value);
    }

    private static bool TryTimeOnly(ReadOnlySpan<char> text, out TimeOnly value)
    {
        value = default;
        return IsWhole(text) && System.TimeOnly.TryParseExact(text, Forms.Times, CultureInfo.InvariantCulture, DateTimeStyles.None, out value);
    }

    private static bool TryDateTime(ReadOnlySpan<char> text, out DateTime value)
    {
        value = default;
        return IsWhole(text) && System.DateTime.TryParseExact(text, Forms.DateTimes, CultureInfo.InvariantCulture, DateTimeStyles.RoundtripKind, out value)
            && (value.Kind != DateTimeKind.Local || IsInstant(text, value));
    }

    // A time with an offset becomes local. The framework wraps one that is before the year 1 or after 9999, in UTC or here, to another instant.
    private static bool IsInstant(ReadOnlySpan<char> text, DateTime local) =>
        TryDateTimeOffset(text, out var instant) && local.ToUniversalTime() == instant.UtcDateTime;

    private static bool TryDateTimeOffset(ReadOnlySpan<char> text, out DateTimeOffset value)
    {
        value = default;
        return IsWhole(text) && System.DateTimeOffset.TryParseExact(text, Forms.DateTimes, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out value);
    }

    // The framework also accepts a point without a fraction, and offsets like +1:00 and +0100.
    private static bool IsWhole(ReadOnlySpan<char> text)
    {
        const int Time = 11;
        var point = text.IndexOf('.');
        var sign = text.Length > Time ? text[Time..].IndexOfAny('+', '-') : -1;
        return (point < 0 || (point + 1 < text.Length && char.IsAsciiDigit(text[point + 1])))
            && (sign < 0 || text[(Time + sign)..] is [_, _, _, ':', _, _]);
    }

    // Formats that need no escapes.
    private static class Text
    {
        // That of a GUID, with quotation marks.
        private const int Longest = 38;

        // 2026-01-31T12:00:00.0000000, before Z or an offset.
        private const int TimeLength = 27;

        internal static void Write<T>(PayloadWriter output, T value, string format)
            where T : IUtf8SpanFormattable
        {
            var text = output.GetSpan(Longest);
            output.Advance(Quote(text, Format(text, value, format)));
        }

        // As the serializer writes it: without the zeros at the end of the fraction.
        internal static void WriteTime<T>(PayloadWriter output, T value)
            where T : IUtf8SpanFormattable
        {
            var text = output.GetSpan(Longest);
            var length = Format(text, value, "O");
            var time = text.Slice(1, TimeLength).TrimEnd((byte)'0').TrimEnd((byte)'.').Length;
            text.Slice(TimeLength + 1, length - TimeLength).CopyTo(text[(time + 1)..]);
            output.Advance(Quote(text, length - TimeLength + time));
        }

        private static int Format<T>(Span<byte> text, T value, string format)
            where T : IUtf8SpanFormattable
        {
            value.TryFormat(text[1..], out var length, format, CultureInfo.InvariantCulture);
            return length;
        }

        private static int Quote(Span<byte> text, int length)
        {
            text[0] = (byte)'"';
            text[length + 1] = (byte)'"';
            return length + 2;
        }
    }

    // Of their own class: their creation must not be part of the first use of any scalar.
    private static class Forms
    {
        internal static readonly SearchValues<char> GuidCharacters = SearchValues.Create("-0123456789abcdefABCDEF");

        internal static readonly string[] Times = ["HH:mm", "HH:mm:ss", "HH:mm:ss.FFFFFFF"];

        internal static readonly string[] DateTimes =
        [
            "yyyy-MM-dd", "yyyy-MM-dd'T'HH:mm", "yyyy-MM-dd'T'HH:mmK", "yyyy-MM-dd'T'HH:mm:ss", "yyyy-MM-dd'T'HH:mm:ssK",
            "yyyy-MM-dd'T'HH:mm:ss.FFFFFFF", "yyyy-MM-dd'T'HH:mm:ss.FFFFFFFK",
        ];
    }
}
