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

    ValueTask<byte[]?> MaybeBytes(bool isNull, CancellationToken ct = default);

    [Post("files")]
    ValueTask<string> Upload(IFormFile first, IReadOnlyList<IFormFile> more, [FromForm] string note, CancellationToken ct = default);

    ValueTask<Stream> Echo(Stream body, CancellationToken ct = default);

    ValueTask<string?> MaybeText(string? text, CancellationToken ct = default);

    ValueTask<int?> MaybeNumber(int? number, CancellationToken ct = default);

    ValueTask<Dictionary<string, Part>> ByName(Dictionary<string, Part> parts, CancellationToken ct = default);

    ValueTask<int> Sum(params int[] numbers);

    /// <summary>Not an operation.</summary>
    [IgnoreOperation]
    int Local();
}
