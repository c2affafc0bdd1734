using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using Weir.Runtime;
using Xunit;

namespace Weir.Generator.Tests.Json;

/// <summary>
/// Weir's own rules for values in text agree with the converters of <c>System.Text.Json</c> on random text: what they accept, the value, the bytes they write.
/// A difference is one that <c>docs/guide/json.md</c> states.
/// </summary>
public sealed partial class ScalarDifferentialTests
{
    private const int Texts = 20_000;

    private static readonly JsonSerializerOptions Plain = new() { Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    // Texts that only the serializer reads: section "Dates", and the table of types.
    private static readonly (string Rule, Type[] Types, Regex Text)[] Rules =
    [
        ("a fraction of a second has up to seven digits", [typeof(DateTime), typeof(DateTimeOffset)], LongFraction()),
        ("a point has a fraction behind it", [typeof(DateTime), typeof(DateTimeOffset)], PointAlone()),
        ("an offset has minutes", [typeof(DateTime), typeof(DateTimeOffset)], OffsetOfHours()),
        ("hours, minutes and seconds have two digits", [typeof(TimeOnly)], ShortPart()),
    ];

    [Fact]
    public void Identifiers_agree() => Compare(Scalars.Guid, static random => Id(random).ToString("DNBP"[random.Next(4)].ToString()));

    [Fact]
    public void Dates_agree() => Compare(Scalars.DateOnly, static random => DateOnly.FromDateTime(Moment(random)).ToString("O", CultureInfo.InvariantCulture));

    [Fact]
    public void Dates_with_times_agree() => Compare(Scalars.DateTime, DateText);

    [Fact]
    public void Dates_with_offsets_agree() => Compare(Scalars.DateTimeOffset, DateText);

    [Fact]
    public void Times_agree() => Compare(
        Scalars.TimeOnly,
        static random => TimeOnly.FromDateTime(Moment(random)).ToString(Pick(random, "O", "HH:mm:ss", "HH:mm", "HH:mm:ss.f", "HH:mm:ss.fff"), CultureInfo.InvariantCulture));

    [Fact]
    public void Durations_agree() => Compare(Scalars.TimeSpan, static random => new TimeSpan(random.NextInt64(-1_000_000_000_000_000, 1_000_000_000_000_000)).ToString(Pick(random, "c", "g", "G"), CultureInfo.InvariantCulture));

    [Fact]
    public void Characters_agree() => Compare(Scalars.Char, static random => ((char)random.Next(0x20, 0x250)).ToString());

    private static void Compare<T>(Scalar<T> scalar, Func<Random, string> make)
    {
        var random = new Random(1);
        var differences = new List<string>();
        var (accepted, refused) = (0, 0);
        for (var round = 0; round < Texts; round++)
        {
            var json = JsonSerializer.SerializeToUtf8Bytes(Change(random, make(random)), Plain);
            var (isRead, value) = Read(scalar, json);
            var (isPlain, plain) = Read<T>(json);
            _ = isPlain ? accepted++ : refused++;
            if (isRead != isPlain)
            {
                var text = Encoding.UTF8.GetString(json);
                if (isRead || !Rules.Any(rule => rule.Types.Contains(typeof(T)) && rule.Text.IsMatch(text)))
                {
                    differences.Add($"{text}: {(isRead ? "only Weir" : "only the serializer")} reads it");
                }
            }
            else if (isRead && (!Equals(value, plain) || !Write(scalar, value).SequenceEqual(JsonSerializer.SerializeToUtf8Bytes(plain, Plain))))
            {
                differences.Add($"{Encoding.UTF8.GetString(json)}: {value} {Encoding.UTF8.GetString(Write(scalar, value))} and {plain} {JsonSerializer.Serialize(plain, Plain)}");
            }
        }

        Assert.True(differences.Count == 0, $"{differences.Count} differences, first:\n{string.Join('\n', differences.Take(30))}");
        Assert.InRange(accepted, Texts / 10, Texts);
        Assert.InRange(refused, Texts / 10, Texts);
    }

    private static (bool IsRead, T? Value) Read<T>(Scalar<T> scalar, byte[] json)
    {
        var reader = new Utf8JsonReader(json);
        reader.Read();
        return (scalar.TryRead(ref reader, out var value), value);
    }

    private static (bool IsRead, T? Value) Read<T>(byte[] json)
    {
        try
        {
            return (true, JsonSerializer.Deserialize<T>(json, Plain));
        }
        catch (JsonException)
        {
            return (false, default);
        }
    }

    private static byte[] Write<T>(Scalar<T> scalar, T? value)
    {
        using var output = new PayloadWriter();
        scalar.Write(output, value!);
        return output.WrittenSpan.ToArray();
    }

    private static string Change(Random random, string text)
    {
        for (var changes = random.Next(3); changes > 0; changes--)
        {
            var at = random.Next(text.Length + 1);
            text = random.Next(3) switch
            {
                0 => text.Insert(at, Pick(random, "0", "9", " ", ":", "-", ".", "T", "Z", "+01:00", "a", "é")),
                1 when at < text.Length => text.Remove(at, 1),
                _ when at < text.Length => text[..at] + Pick(random, "0", "1", "5", "9", ":", "-", ".", " ") + text[(at + 1)..],
                _ => text,
            };
        }

        return text;
    }

    private static string DateText(Random random) => Moment(random).ToString(
        Pick(random, "yyyy-MM-dd", "yyyy-MM-ddTHH:mm", "yyyy-MM-ddTHH:mm:ss", "yyyy-MM-ddTHH:mm:ss.f", "yyyy-MM-ddTHH:mm:ss.fffffff", "yyyy-MM-dd HH:mm"), CultureInfo.InvariantCulture)
        + Pick(random, "", "Z", "+01:00", "-14:00", "+1", "+01");

    private static DateTime Moment(Random random) => new(random.NextInt64(DateTime.MaxValue.Ticks));

    private static Guid Id(Random random)
    {
        Span<byte> bytes = stackalloc byte[16];
        random.NextBytes(bytes);
        return new Guid(bytes);
    }

    private static string Pick(Random random, params string[] choices) => choices[random.Next(choices.Length)];

    [GeneratedRegex(@"\.\d{8,16}\D")]
    private static partial Regex LongFraction();

    [GeneratedRegex(@"\.[^\d]")]
    private static partial Regex PointAlone();

    [GeneratedRegex(@"T.*[+-]\d\d""$")]
    private static partial Regex OffsetOfHours();

    [GeneratedRegex(@"[:""](\d|\d{3,})[:.""]")]
    private static partial Regex ShortPart();
}
