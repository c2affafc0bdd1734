using System.Text.Json;
using System.Text.Json.Serialization;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc;

namespace Weir.Client.Tests.Services;

public enum Shade
{
    Light,

    [JsonStringEnumMemberName("very-dark")]
    Dark,
}

[Flags]
public enum Sides
{
    None = 0,
    Left = 1,
    Right = 2,
}

/// <summary>A type with text of its own.</summary>
public readonly record struct Code(string Text) : IParsable<Code>
{
    public static Code Parse(string s, IFormatProvider? provider) => TryParse(s, provider, out var code) ? code : throw new FormatException();

    public static bool TryParse(string? s, IFormatProvider? provider, out Code result)
    {
        result = new Code(s is { Length: > 1 } && s[0] == '#' ? s[1..] : "");
        return result.Text.Length > 0;
    }

    public override string ToString() => "#" + Text;
}

/// <summary>A type whose text depends on the culture, and which asks for none.</summary>
public readonly record struct Amount(decimal Value)
{
    public static bool TryParse(string? s, out Amount amount)
    {
        var isAmount = decimal.TryParse(s, out var value);
        amount = new Amount(value);
        return isAmount;
    }

    public override string ToString() => $"{Value:0.00}";
}

/// <summary>A type that parses its text and does not write it.</summary>
public sealed record Unwritten(string Text)
{
    public static bool TryParse(string? s, out Unwritten value)
    {
        value = new Unwritten(s ?? "");
        return true;
    }
}

/// <summary>JSON that is kept as it is.</summary>
[JsonConverter(typeof(StoredConverter))]
public sealed record Stored(string Json);

/// <summary>Writes JSON as it is.</summary>
public sealed class StoredConverter : JsonConverter<Stored>
{
    public override Stored Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) => new(JsonElement.ParseValue(ref reader).GetRawText());

    public override void Write(Utf8JsonWriter writer, Stored value, JsonSerializerOptions options) => writer.WriteRawValue(value.Json);
}

public sealed record Part(string Name, int Count, Shade? Shade = null, Part[]? Parts = null);

/// <summary>Every kind of parameter and result, in every place that has one.</summary>
[Service(Route = "/values")]
public interface IValues
{
    [Get]
    ValueTask<string> Scalars(
        string text, bool flag, int number, long large, double fraction, decimal amount, Guid id, DateTime at, DateTimeOffset when, DateOnly day, TimeOnly time,
        TimeSpan span, char letter, Shade shade, Sides sides, Uri link, Code code, CancellationToken ct = default);

    [Post("scalars")]
    ValueTask<string> ScalarsInBody(
        string text, bool flag, int number, long large, double fraction, decimal amount, Guid id, DateTime at, DateTimeOffset when, DateOnly day, TimeOnly time,
        TimeSpan span, char letter, Shade shade, Sides sides, Uri link, Code code, CancellationToken ct = default);

    [Get("optional")]
    ValueTask<string> Optional(int? number, string? text = null, Shade? shade = null, int[]? numbers = null, CancellationToken ct = default);

    [Get("defaults")]
    ValueTask<string> Defaults(int? number = 5, string text = "none", CancellationToken ct = default);

    [Post("defaults")]
    ValueTask<string> DefaultsInBody(int? number = 5, string text = "none", CancellationToken ct = default);

    [Get("lists")]
    ValueTask<string> Lists(int[] numbers, List<string> texts, Shade[] shades, CancellationToken ct = default);

    [Put("parts/{name}/{count:int}")]
    ValueTask<Part> InPath(string name, int count, [FromQuery] Shade shade, Part[] parts, CancellationToken ct = default);

    [Get("files/{**path}")]
    ValueTask<string> Rest(string path, CancellationToken ct = default);

    [Get("pages/{number?}")]
    ValueTask<string> Page(int? number = null, CancellationToken ct = default);

    [Get("literal {{x}}/{code}.txt")]
    ValueTask<string> Literal(string code, CancellationToken ct = default);

    [Get("header")]
    ValueTask<string> Header([FromHeader(Name = "X-Tenant")] string tenant, [FromHeader(Name = "X-Numbers")] int[] numbers, CancellationToken ct = default);

    [Get("texts")]
    ValueTask<string> Texts([FromHeader(Name = "X-Text")] string? text, [FromHeader(Name = "X-Texts")] string[] texts, CancellationToken ct = default);

    [Post("language")]
    ValueTask<string> Language([FromHeader(Name = "Content-Language")] string? language, [FromBody] int number, CancellationToken ct = default);

    [Get("fields")]
    ValueTask<string> Amounts(Amount amount, Amount?[]? more = null, [FromHeader(Name = "X-Amount")] Amount? other = null, CancellationToken ct = default);

    [Post("fields")]
    ValueTask<string> AmountsInBody(Amount amount, Amount?[]? more = null, CancellationToken ct = default);

    [Post("stored")]
    IAsyncEnumerable<Stored> EchoStored(IAsyncEnumerable<Stored> items, CancellationToken ct = default);

    [Get("real")]
    ValueTask<string> Real(double number, CancellationToken ct = default);

    [Post("real")]
    ValueTask<string> Reals(double number, float[] more, CancellationToken ct = default);

    [Post("reals")]
    ValueTask<int> Count(IAsyncEnumerable<double> numbers, CancellationToken ct = default);

#pragma warning disable WEIR1057 // The error of such a call is tested.
    [Get("unwritten")]
    ValueTask<string> Unwritten(Unwritten value, CancellationToken ct = default);
#pragma warning restore WEIR1057

    [Post("form")]
    ValueTask<string> Form([FromForm] string text, [FromForm(Name = "n")] int[] numbers, [FromQuery] Shade shade, CancellationToken ct = default);

    [Patch("part")]
    Task<Part> Body(Part part, [FromQuery] int times = 1, CancellationToken ct = default);

    [Post("maybe")]
    Task<Part?> MaybeBody([FromBody] Part? part, CancellationToken ct = default);

    [Post("two")]
    ValueTask<Part[]> TwoBodies(Part first, Part? second, int times, CancellationToken ct = default);

    [Delete("parts/{name}")]
    Task Remove(string name, bool isForced = false, CancellationToken ct = default);

    ValueTask<byte[]> Reverse(byte[] bytes, CancellationToken ct = default);

    ValueTask<ReadOnlyMemory<byte>> ReverseMemory(ReadOnlyMemory<byte> bytes, [FromQuery] int skip, CancellationToken ct = default);

    ValueTask<byte[]> NoBytes(CancellationToken ct = default);

    ValueTask<ReadOnlyMemory<byte>?> MaybeMemory(bool isNull, CancellationToken ct = default);

    ValueTask<byte[]?> MaybeBytes(bool isNull, CancellationToken ct = default);

    [Post("files")]
    ValueTask<string> Upload(IFormFile first, IReadOnlyList<IFormFile> more, [FromForm] string note, CancellationToken ct = default);

    ValueTask<Stream> Echo(Stream body, CancellationToken ct = default);

    ValueTask<Stream?> MaybeStream(bool isNull, CancellationToken ct = default);

    ValueTask<System.IO.Pipelines.PipeReader?> MaybePipe(bool isNull, CancellationToken ct = default);

    ValueTask<string?> MaybeText(string? text, CancellationToken ct = default);

    ValueTask<int?> MaybeNumber(int? number, CancellationToken ct = default);

    ValueTask<Dictionary<string, Part>> ByName(Dictionary<string, Part> parts, CancellationToken ct = default);

    ValueTask<int> Sum(params int[] numbers);

    /// <summary>Not an operation.</summary>
    [IgnoreOperation]
    int Local();
}
