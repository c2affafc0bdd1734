using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Weir.Generator.Tests.Json;

/// <summary>Makes documents of types: most of the whole with values that read, and each with a chance for every kind of flaw.</summary>
/// <param name="random">Seeded by the test.</param>
/// <param name="options">Say which members a type has.</param>
internal sealed class RandomDocuments(Random random, JsonSerializerOptions options)
{
    private const int Deepest = 5;

    private static readonly string[] Anything = ["null", "true", "0", "-1", "1.5", "1e400", "\"text\"", "\"\"", "[]", "{}", "[null]", "{\"a\":[1]}", "\"2026-01-31\"", "\"\\ud800\"", new string('[', 70) + new string(']', 70)];

    private static readonly Dictionary<Type, (string[] Good, string[] Bad)> Scalars = new()
    {
        [typeof(bool)] = (["true", "false"], ["\"true\"", "1", "True"]),
        [typeof(float)] = (["0", "-0", "1.5", "-3.4e38", "1E-40", "16777217"], ["3.5e38", "\"1\"", "\"NaN\"", "1.", ".5"]),
        [typeof(double)] = (["0", "-0.0", "1.5", "-1.7976931348623157e308", "5E-324", "123456789.123456789", "1e-400"], ["1e309", "-1e309", "\"1\"", "\"Infinity\"", "NaN", "+1"]),
        [typeof(decimal)] = (["0", "-0.0", "1.50", "79228162514264337593543950335", "1e-28", "1E5", "0.10000000000000000000000000009"], ["79228162514264337593543950336", "1e29", "\"1\"", "1e-400"]),
        [typeof(string)] = (["\"\"", "\"text\"", "\"\\u00e9\\n\\\"\\\\\\/\"", "\"é<&'\"", "\"\\ud83d\\ude00 😀\"", "\"\\u0000\\u007f\\u2028\""], ["1", "\"\\ud83d\"", "'a'", "\"\\x\""]),
        [typeof(char)] = (["\"a\"", "\"é\"", "\"\\u0000\"", "\"\\\"\""], ["\"\"", "\"ab\"", "1", "\"\\ud83d\"", "\"😀\""]),
        [typeof(Guid)] = (["\"0190163d-8694-739b-aea5-966c26f8ad91\"", "\"0190163D-8694-739B-AEA5-966C26F8AD91\""], ["\"0190163d8694739baea5966c26f8ad91\"", "\"{0190163d-8694-739b-aea5-966c26f8ad91}\"", "\"0190163d-8694-739b-aea5-966c26f8ad9\"", "1"]),
        [typeof(DateTime)] = (["\"2026-01-31T12:00:00Z\"", "\"2026-01-31\"", "\"2026-01-31T12:00:00.1234567\"", "\"2026-01-31T12:00+01:00\""], ["\"2026-02-30\"", "\"2026-01-31 12:00\"", "\"12:00\"", "1"]),
        [typeof(DateTimeOffset)] = (["\"2026-01-31T12:00:00+01:00\"", "\"2026-01-31T12:00:00Z\""], ["\"2026-01-31T12:00:00+25:00\"", "\"x\"", "0"]),
        [typeof(DateOnly)] = (["\"2026-01-31\"", "\"0001-01-01\""], ["\"2026-1-31\"", "\"2026-01-31T00:00:00\"", "1"]),
        [typeof(TimeOnly)] = (["\"12:00:00\"", "\"23:59:59.9999999\"", "\"12:00\""], ["\"24:00:00\"", "\"1.12:00:00\"", "12"]),
        [typeof(TimeSpan)] = (["\"1.02:03:04.5000000\"", "\"-00:00:01\""], ["\"25:00:00\"", "\"1\"", "1"]),
        [typeof(byte[])] = (["\"\"", "\"AQI=\"", "\"\\u0041QI=\""], ["\"AQI\"", "\"!\"", "[1]", "1"]),
        [typeof(ReadOnlyMemory<byte>)] = (["\"\"", "\"/+8=\""], ["\"AQI\"", "1"]),
    };

    private readonly StringBuilder _text = new();

    private int _flaws;

    /// <summary>A document that is JSON, or not.</summary>
    /// <param name="type">What it should be.</param>
    /// <param name="isFlawed">Whether it may have what does not read.</param>
    internal byte[] Make(Type type, bool isFlawed)
    {
        _text.Clear();
        _flaws = isFlawed ? random.Next(1, 3) : 0;
        Space();
        Value(type, 0);
        Space();
        var bytes = Encoding.UTF8.GetBytes(_text.ToString());
        return isFlawed && Chance(4) ? Break(bytes) : bytes;
    }

    private void Value(Type type, int depth)
    {
        if (TakesFlaw(12))
        {
            _text.Append(Pick(Anything));
            return;
        }

        var core = Nullable.GetUnderlyingType(type) ?? type;
        if (core != type && Chance(4))
        {
            _text.Append("null");
            return;
        }

        if (core.IsEnum)
        {
            Enum(core);
        }
        else if (Scalars.TryGetValue(core, out var scalar))
        {
            _text.Append(TakesFlaw(6) ? Pick(scalar.Bad) : Pick(scalar.Good));
        }
        else if (core.IsPrimitive)
        {
            WholeNumber(core);
        }
        else
        {
            var info = options.GetTypeInfo(core);
            if (info.Kind == JsonTypeInfoKind.Enumerable)
            {
                Array(info.ElementType!, depth);
            }
            else
            {
                Object(info, depth);
            }
        }
    }

    private void WholeNumber(Type type)
    {
        var (least, most) = (Convert.ToDecimal(type.GetField("MinValue")!.GetValue(null), CultureInfo.InvariantCulture), Convert.ToDecimal(type.GetField("MaxValue")!.GetValue(null), CultureInfo.InvariantCulture));
        _text.Append(TakesFlaw(6)
            ? Pick([Text(least - 1), Text(most + 1), "1.0", "1e2", "01", "\"1\"", "-", "1.5"])
            : Pick([Text(least), Text(most), "0", "1", least < 0 ? "-0" : "7", Text(random.Next(100))]));

        static string Text(decimal number) => number.ToString(CultureInfo.InvariantCulture);
    }

    private void Enum(Type type)
    {
        string[] known = type.Name switch
        {
            "State" => ["New", "sent-out", "GONE AWAY", "Lost", "0", "7", "-1"],
            "Small" => ["None", "ä", "200"],
            "Rights" => ["None", "Read", "read,WRITE", "Own", "All", "7", "0"],
            "Wide" => ["Low", "Low,High", "9223372036854775808", "1"],
            _ => ["Friday", "monday", "3"],
        };
        var one = TakesFlaw(6) ? Pick(["Sent", "Gone", "x", "", "8", "9", "1.0", "\\u0030", " New", "Read Write", "99999999999999999999"]) : Pick(known);
        _text.Append(one.Length > 0 && (char.IsAsciiDigit(one[0]) || one[0] == '-') && !Chance(9 + (100 * (1 - Math.Min(_flaws, 1)))) ? one : $"\"{one}\"");
    }

    private void Array(Type element, int depth)
    {
        _text.Append('[');
        for (int index = 0, count = depth > Deepest ? 0 : random.Next(4); index < count; index++)
        {
            Space();
            if (TakesFlaw(20))
            {
                _text.Append("null");
            }
            else
            {
                Value(element, depth + 1);
            }

            Space();
            _text.Append(index + 1 < count ? "," : TakesFlaw(60) ? "," : "");
        }

        _text.Append(']');
    }

    private void Object(JsonTypeInfo info, int depth)
    {
        _text.Append('{');
        var members = info.Properties.Where(one => !Omits(one, depth)).ToList();
        if (TakesFlaw(20) && members.Count > 0)
        {
            members.Add(Pick(members));
        }

        var separator = "";
        foreach (var member in members.OrderBy(_ => random.Next()))
        {
            _text.Append(separator);
            Space();
            if (Chance(20))
            {
                _text.Append("\"no member\":").Append(Pick(Anything[..^2])).Append(',');
            }

            _text.Append(JsonSerializer.Serialize(Chance(5) ? member.Name.ToUpperInvariant() : member.Name, Chance(5) ? Escaped : Unescaped)).Append(':');
            Space();
            if (TakesFlaw(20))
            {
                _text.Append("null");
            }
            else
            {
                Value(member.PropertyType, depth + 1);
            }

            Space();
            separator = ",";
        }

        _text.Append('}');
    }

    private static JsonSerializerOptions Escaped { get; } = new();

    private static JsonSerializerOptions Unescaped { get; } = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    // What is required is left out as a flaw; a tree ends.
    private bool Omits(JsonPropertyInfo member, int depth) =>
        member.IsRequired ? TakesFlaw(20) : Chance(4) || (depth > Deepest && !member.PropertyType.IsValueType && member.PropertyType != typeof(string));

    private byte[] Break(byte[] bytes)
    {
        if (bytes.Length == 0 || Chance(3))
        {
            return bytes[..random.Next(bytes.Length)];
        }

        var broken = bytes.ToList();
        var at = random.Next(broken.Count);
        switch (random.Next(3))
        {
            case 0:
                broken[at] = (byte)"{}[],:\"\\0123456789-.eEtfnu \n"[random.Next(28)];
                break;
            case 1:
                broken.RemoveAt(at);
                break;
            default:
                broken.InsertRange(at, broken.GetRange(at, Math.Min(random.Next(1, 12), broken.Count - at)));
                break;
        }

        return [.. broken];
    }

    private void Space() => _text.Append(Chance(8) ? Pick([" ", "\n", "\t\r\n"]) : "");

    private bool TakesFlaw(int one)
    {
        if (_flaws == 0 || !Chance(one))
        {
            return false;
        }

        _flaws--;
        return true;
    }

    private bool Chance(int one) => random.Next(one) == 0;

    private T Pick<T>(IReadOnlyList<T> list) => list[random.Next(list.Count)];
}
