using System.Diagnostics.CodeAnalysis;
using Microsoft.AspNetCore.Mvc;

namespace Weir.OpenApi.Tests.Application;

/// <summary>A type that parses its own text, and is an object in JSON.</summary>
public sealed record Tag(string Name) : IParsable<Tag>
{
    public static Tag Parse(string s, IFormatProvider? provider) => new(s);

    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, [MaybeNullWhen(false)] out Tag result)
    {
        result = s is null ? null : new Tag(s);
        return s is not null;
    }
}

/// <summary>As <see cref="Tag"/>, by a method alone.</summary>
public readonly record struct Code(int Number)
{
    public static bool TryParse(string? text, out Code code)
    {
        code = new Code(text?.Length ?? 0);
        return text is not null;
    }
}

[Service]
public sealed class Labels
{
    [Get]
    public string Query(Tag tag, Code? code = null, Tag[]? more = null) => $"{tag.Name} {code} {more?.Length}";

    public string Member(Tag tag, Code code, Tag[] more, int count = 1) => $"{tag.Name} {code} {more.Length} {count}";

    public string Header([FromHeader(Name = "X-Tag")] Tag tag, [FromHeader(Name = "X-More")] Tag[] more) => $"{tag.Name} {more.Length}";

    public string Field([FromForm] Tag tag, [FromForm] Tag[] more) => $"{tag.Name} {more.Length}";

    [Get("/tags/{tag}")]
    public string Route(Tag tag) => tag.Name;

    [Get]
    public Tag Show(Uri? source) => new(source?.ToString() ?? "none");

    public Tag Whole([FromBody] Tag tag) => tag;

    [Get]
    public async IAsyncEnumerable<string?> Lines()
    {
        yield return "a";
        await Task.Yield();
        yield return null;
    }

    public async Task<int> Take(IAsyncEnumerable<string?> lines) => await lines.CountAsync();

    [Get]
    public byte[]? Bytes(bool isNull) => isNull ? null : [1, 2];

    [Get]
    public ReadOnlyMemory<byte>? Memory(bool isNull) => isNull ? default(ReadOnlyMemory<byte>?) : new byte[] { 1, 2 };

    [Get]
    public Stream? Content(bool isNull) => isNull ? null : new MemoryStream([1, 2]);

    [Get]
    public string? Text(bool isNull) => isNull ? null : "text";
}
