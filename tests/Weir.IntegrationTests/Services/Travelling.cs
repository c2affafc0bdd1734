using System.ComponentModel.DataAnnotations;
using System.Globalization;
using System.Numerics;
using System.Text.Json;
using System.Text.Json.Serialization;
using Microsoft.AspNetCore.Mvc;

namespace Weir.IntegrationTests.Services;

#pragma warning disable WEIR1057 // They are called over HTTP, from text.

/// <summary>Operations whose arguments are easily changed on their way to a worker: each inline and, with its name's end, isolated.</summary>
[Service]
public sealed class Travelling
{
    private const string Pool = "Serialized";

    [Get, Post] public string Tag(Tag tag) => tag.Name;

    [Get, Post, Isolated(Pool)] public string TagIsolated(Tag tag) => tag.Name;

    [Get, Post] public string Points(Point[] points, Point? one = null) => $"{string.Join(' ', points.Select(static point => $"{point.X}/{point.Y}"))} {one?.X}";

    [Get, Post, Isolated(Pool)] public string PointsIsolated(Point[] points, Point? one = null) => Points(points, one);

    [Get("at/{point}")] public string Header(Point point, [FromHeader(Name = "X-Tags")] Tag[] tags) => $"{point.Y} {string.Join('+', tags.Select(static tag => tag.Name))}";

    [Get("isolated/at/{point}"), Isolated(Pool)] public string HeaderIsolated(Point point, [FromHeader(Name = "X-Tags")] Tag[] tags) => Header(point, tags);

    [Get, Post] public string Money(Money money, Money?[]? more = null) => string.Join(' ', new Money?[] { money }.Concat(more ?? []).Select(static one => one?.Amount.ToString(CultureInfo.InvariantCulture)));

    [Get, Post, Isolated(Pool)] public string MoneyIsolated(Money money, Money?[]? more = null) => Money(money, more);

    public long Big(BigInteger value) => value.GetBitLength();

    [Isolated(Pool)] public long BigIsolated(BigInteger value) => value.GetBitLength();

    [Get] public string Numbers(double one = double.NaN, float two = float.NegativeInfinity, double? three = double.PositiveInfinity, Half? four = null) => string.Create(CultureInfo.InvariantCulture, $"{one} {two} {three} {four}");

    [Get, Isolated(Pool)] public string NumbersIsolated(double one = double.NaN, float two = float.NegativeInfinity, double? three = double.PositiveInfinity, Half? four = null) => Numbers(one, two, three, four);

    public string Reading(Reading reading, float[] more, Dictionary<string, double> named) => string.Create(
        CultureInfo.InvariantCulture, $"{reading.One} {reading.Two} {string.Join('+', reading.More)} {string.Join('+', more)} {string.Join('+', named.Values)}");

    [Isolated(Pool)] public string ReadingIsolated(Reading reading, float[] more, Dictionary<string, double> named) => Reading(reading, more, named);

    public async Task<string> Readings(IAsyncEnumerable<Reading> readings) => string.Join('|', await readings.Select(static one => one.One).ToListAsync());

    [Isolated(Pool)] public Task<string> ReadingsIsolated(IAsyncEnumerable<Reading> readings) => Readings(readings);

    public double NotANumber() => double.NaN;

    [Isolated(Pool)] public double NotANumberIsolated() => double.NaN;

    public DateTime At(DateTime at) => at.ToUniversalTime();

    [Isolated(Pool)] public DateTime AtIsolated(DateTime at) => at.ToUniversalTime();

    public JsonElement Element([FromBody] JsonElement value) => value;

    [Isolated(Pool)] public JsonElement ElementIsolated([FromBody] JsonElement value) => value;

    public JsonDocument Document([FromBody] JsonDocument value) => value;

    [Isolated(Pool)] public JsonDocument DocumentIsolated([FromBody] JsonDocument value) => value;

    public object? Any([FromBody] object? value) => value;

    [Isolated(Pool)] public object? AnyIsolated([FromBody] object? value) => value;

    public IAsyncEnumerable<Stored> Lines(IAsyncEnumerable<Stored> items) => items;

    [Isolated(Pool)]
    public async IAsyncEnumerable<Stored> LinesIsolated(IAsyncEnumerable<Stored> items)
    {
        await foreach (var item in items)
        {
            yield return item;
        }
    }

    [Stream] public IEnumerable<Stored> Blocking() => [new("{\n\"a\":\r\n1\r}")];

    [Resumable]
    public async IAsyncEnumerable<Stored> Kept()
    {
        await Task.Yield();
        yield return new Stored("{\n\"a\":\r\n1\r}");
    }

    public string Shape([FromBody] Shape shape) => shape.ToString();

    [Isolated(Pool)] public string ShapeIsolated([FromBody] Shape shape) => shape.ToString();

    public string Shapes(Box box) => string.Join(' ', box.Shapes.Select(static one => one.ToString()));

    [Isolated(Pool)] public string ShapesIsolated(Box box) => Shapes(box);

    public string Named([FromBody] INamed named) => named.Name;

    [Isolated(Pool)] public string NamedIsolated([FromBody] INamed named) => named.Name;

    [Get] public string Slow([RegularExpression("^(a|aa)+$", MatchTimeoutInMilliseconds = 20)] string text) => text;

    [Get, Isolated(Pool)] public string SlowIsolated([RegularExpression("^(a|aa)+$", MatchTimeoutInMilliseconds = 20)] string text) => text;

    [Isolated(Pool)] public async Task<int> Count(IAsyncEnumerable<int> numbers) => (await numbers.ToListAsync()).Count;
}

/// <summary>Parses its text, and does not write it.</summary>
public sealed class Tag
{
    public string Name { get; private init; } = "";

    public static bool TryParse(string? text, out Tag tag)
    {
        tag = new Tag { Name = text ?? "" };
        return true;
    }
}

/// <summary>A record, whose own text is not what it parses.</summary>
public sealed record Point(int X, int Y) : IParsable<Point>
{
    public static Point Parse(string s, IFormatProvider? provider) => TryParse(s, provider, out var point) ? point : throw new FormatException();

    public static bool TryParse(string? s, IFormatProvider? provider, out Point result)
    {
        result = s?.Split(',') is [var x, var y] && int.TryParse(x, provider, out var left) && int.TryParse(y, provider, out var right) ? new Point(left, right) : null!;
        return result is not null;
    }
}

/// <summary>Writes its text in the current culture.</summary>
public readonly record struct Money(decimal Amount) : IParsable<Money>
{
    public static Money Parse(string s, IFormatProvider? provider) => new(decimal.Parse(s, NumberStyles.Number, provider));

    public static bool TryParse(string? s, IFormatProvider? provider, out Money result)
    {
        var isParsed = decimal.TryParse(s, NumberStyles.Number, provider, out var amount);
        result = new Money(amount);
        return isParsed;
    }

    public override string ToString() => Amount.ToString(CultureInfo.CurrentCulture);
}

/// <summary>Numbers in an object.</summary>
public sealed record Reading(double One, float? Two = null, params double[] More);

/// <summary>JSON that a column of a database keeps.</summary>
[JsonConverter(typeof(StoredConverter))]
public sealed record Stored(string Json);

/// <summary>Writes JSON as it is.</summary>
public sealed class StoredConverter : JsonConverter<Stored>
{
    public override Stored Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) => new(JsonElement.ParseValue(ref reader).GetRawText());

    public override void Write(Utf8JsonWriter writer, Stored value, JsonSerializerOptions options) => writer.WriteRawValue(value.Json);
}

/// <summary>An object with a member that has several types.</summary>
public sealed record Box(Shape[] Shapes);

/// <summary>An interface of several types.</summary>
[JsonDerivedType(typeof(Person), "person")]
public interface INamed
{
    string Name { get; }
}

/// <summary>One of them.</summary>
public sealed record Person(string Name) : INamed;
