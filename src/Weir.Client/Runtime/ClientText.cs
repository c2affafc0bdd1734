using System.ComponentModel;
using System.Globalization;

namespace Weir.Runtime;

/// <summary>The text of values in a path, query, header or form, in the invariant culture, as servers read it.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ClientText
{
    private const string DateAndTime = "yyyy-MM-dd'T'HH:mm:ss.FFFFFFFK";

    /// <summary>The text itself.</summary>
    public static string Of(string value) => value;

    /// <summary>One character.</summary>
    public static string Of(char value) => value.ToString();

    /// <summary><c>true</c> or <c>false</c>.</summary>
    public static string Of(bool value) => value ? "true" : "false";

    /// <summary>A number that reads back as the same.</summary>
    public static string Of(float value) => value.ToString("R", CultureInfo.InvariantCulture);

    /// <summary>A number that reads back as the same.</summary>
    public static string Of(double value) => value.ToString("R", CultureInfo.InvariantCulture);

    /// <summary>A date and time: <c>2026-01-31T12:00:00Z</c>.</summary>
    public static string Of(DateTime value) => value.ToString(DateAndTime, CultureInfo.InvariantCulture);

    /// <summary>A date, time and offset: <c>2026-01-31T12:00:00+01:00</c>.</summary>
    public static string Of(DateTimeOffset value) => value.ToString(DateAndTime, CultureInfo.InvariantCulture);

    /// <summary>A span of time: <c>[-][d.]hh:mm:ss[.fffffff]</c>.</summary>
    public static string Of(TimeSpan value) => value.ToString("c", CultureInfo.InvariantCulture);

#if NET
    /// <summary>A date: <c>2026-01-31</c>.</summary>
    public static string Of(DateOnly value) => value.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture);

    /// <summary>A time: <c>12:00:00</c>.</summary>
    public static string Of(TimeOnly value) => value.ToString("HH:mm:ss.FFFFFFF", CultureInfo.InvariantCulture);
#endif

    /// <summary>A URI as it was given.</summary>
    public static string Of(Uri value) => value?.OriginalString ?? throw new ArgumentNullException(nameof(value));

    /// <summary>Bytes in base64.</summary>
    public static string Of(byte[] value) => Convert.ToBase64String(value);

    /// <summary>Bytes in base64.</summary>
    public static string Of(ReadOnlyMemory<byte> value) => Convert.ToBase64String(value.ToArray());

    /// <summary>Numbers, GUIDs, and the text of a type that parses its own: also one that asks for no culture is written in the invariant culture.</summary>
    public static string Of<T>(T value) =>
        (value is IFormattable formattable ? formattable.ToString(null, CultureInfo.InvariantCulture) : InvariantText(value)) ?? throw new ArgumentNullException(nameof(value));

    /// <summary>Refuses a value of a type that parses text and does not write it: its <c>ToString</c> would be another value.</summary>
    /// <exception cref="ArgumentException">Always.</exception>
    public static string OfUnwritten<T>(T value) => throw new ArgumentException(
        $"A {typeof(T).Name} is read from text and cannot be written as text, so a client cannot send it: override its ToString, so that it returns what TryParse reads, or implement IFormattable. See {WeirCodes.TextNotWritten}.",
        nameof(value));

    private static string? InvariantText<T>(T value)
    {
        var before = CultureInfo.CurrentCulture;
        if (ReferenceEquals(before, CultureInfo.InvariantCulture))
        {
            return value?.ToString();
        }

        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        try
        {
            return value?.ToString();
        }
        finally
        {
            CultureInfo.CurrentCulture = before;
        }
    }
}
