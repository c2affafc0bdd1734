using System.Globalization;
using Microsoft.AspNetCore.Http;

namespace Weir.Client.Tests.Services;

[Service]
public sealed class Values : IValues
{
    internal static string? Removed { get; private set; }

    public ValueTask<string> Scalars(
        string text, bool flag, int number, long large, double fraction, decimal amount, Guid id, DateTime at, DateTimeOffset when, DateOnly day, TimeOnly time,
        TimeSpan span, char letter, Shade shade, Sides sides, Uri link, Code code, CancellationToken ct = default) =>
        new(Join(text, flag, number, large, fraction.ToString("R", CultureInfo.InvariantCulture), amount, id, at.ToString("O"), when.ToString("O"), day, time.ToString("O"), span, letter, shade, sides, link, code));

    public ValueTask<string> ScalarsInBody(
        string text, bool flag, int number, long large, double fraction, decimal amount, Guid id, DateTime at, DateTimeOffset when, DateOnly day, TimeOnly time,
        TimeSpan span, char letter, Shade shade, Sides sides, Uri link, Code code, CancellationToken ct = default) =>
        Scalars(text, flag, number, large, fraction, amount, id, at, when, day, time, span, letter, shade, sides, link, code, ct);

    public ValueTask<string> Optional(int? number, string? text, Shade? shade, int[]? numbers, CancellationToken ct = default) =>
        new(Join(number, text, shade, numbers is null ? null : string.Join('+', numbers)));

    public ValueTask<string> Defaults(int? number, string text, CancellationToken ct = default) => new(Join(number, text));

    public ValueTask<string> DefaultsInBody(int? number, string text, CancellationToken ct = default) => new(Join(number, text));

    public ValueTask<string> Lists(int[] numbers, List<string> texts, Shade[] shades, CancellationToken ct = default) =>
        new(Join(string.Join('+', numbers), string.Join('+', texts), string.Join('+', shades)));

    public ValueTask<Part> InPath(string name, int count, Shade shade, Part[] parts, CancellationToken ct = default) => new(new Part(name, count, shade, parts));

    public ValueTask<string> Rest(string path, CancellationToken ct = default) => new(path);

    public ValueTask<string> Page(int? number = null, CancellationToken ct = default) => new(Join(number));

    public ValueTask<string> Literal(string code, CancellationToken ct = default) => new(code);

    public ValueTask<string> Header(string tenant, int[] numbers, CancellationToken ct = default) => new(Join(tenant, string.Join('+', numbers)));

    public ValueTask<string> Texts(string? text, string[] texts, CancellationToken ct = default) => new($"[{text}] {string.Join('|', texts)}");

    public ValueTask<string> Language(string? language, int number, CancellationToken ct = default) => new($"{language} {number}");

    public ValueTask<string> Amounts(Amount amount, Amount?[]? more = null, Amount? other = null, CancellationToken ct = default) =>
        new(FormattableString.Invariant($"{amount.Value} {string.Join('+', (more ?? []).Select(static one => FormattableString.Invariant($"{one?.Value}")))} {other?.Value}"));

    public ValueTask<string> AmountsInBody(Amount amount, Amount?[]? more = null, CancellationToken ct = default) => Amounts(amount, more, ct: ct);

    public IAsyncEnumerable<Stored> EchoStored(IAsyncEnumerable<Stored> items, CancellationToken ct = default) => items;

    public ValueTask<string> Real(double number, CancellationToken ct = default) => new("never");

    public ValueTask<string> Reals(double number, float[] more, CancellationToken ct = default) => new("never");

    public async ValueTask<int> Count(IAsyncEnumerable<double> numbers, CancellationToken ct = default) => await numbers.CountAsync(ct);

    public ValueTask<string> Unwritten(Unwritten value, CancellationToken ct = default) => new(value.Text);

    public ValueTask<string> Form(string text, int[] numbers, Shade shade, CancellationToken ct = default) => new(Join(text, string.Join('+', numbers), shade));

    public Task<Part> Body(Part part, int times = 1, CancellationToken ct = default) => Task.FromResult(part with { Count = part.Count * times });

    public Task<Part?> MaybeBody(Part? part, CancellationToken ct = default) => Task.FromResult(part);

    public ValueTask<Part[]> TwoBodies(Part first, Part? second, int times, CancellationToken ct = default) =>
        new([.. Enumerable.Repeat(first, times), .. second is null ? [] : new[] { second }]);

    public Task Remove(string name, bool isForced = false, CancellationToken ct = default)
    {
        Removed = Join(name, isForced);
        return Task.CompletedTask;
    }

    public ValueTask<byte[]> Reverse(byte[] bytes, CancellationToken ct = default) => new([.. bytes.Reverse()]);

    public ValueTask<ReadOnlyMemory<byte>> ReverseMemory(ReadOnlyMemory<byte> bytes, int skip, CancellationToken ct = default) =>
        new(bytes.ToArray().Reverse().Skip(skip).ToArray());

    public ValueTask<byte[]> NoBytes(CancellationToken ct = default) => new((byte[])null!);

    public ValueTask<ReadOnlyMemory<byte>?> MaybeMemory(bool isNull, CancellationToken ct = default) => new(isNull ? (ReadOnlyMemory<byte>?)null : "null"u8.ToArray());

    public ValueTask<byte[]?> MaybeBytes(bool isNull, CancellationToken ct = default) => new(isNull ? null : [1, 2]);

    public async ValueTask<string> Upload(IFormFile first, IReadOnlyList<IFormFile> more, string note, CancellationToken ct = default)
    {
        using var reader = new StreamReader(first.OpenReadStream());
        return Join(first.FileName, first.ContentType, await reader.ReadToEndAsync(ct), string.Join('+', more.Select(static one => $"{one.FileName}:{one.Length}")), note);
    }

    public ValueTask<Stream?> MaybeStream(bool isNull, CancellationToken ct = default) => new(isNull ? null : new MemoryStream([1, 2]));

    public ValueTask<System.IO.Pipelines.PipeReader?> MaybePipe(bool isNull, CancellationToken ct = default) => new(isNull ? null : System.IO.Pipelines.PipeReader.Create(new MemoryStream([1, 2])));

    public async ValueTask<Stream> Echo(Stream body, CancellationToken ct = default)
    {
        var copy = new MemoryStream();
        await body.CopyToAsync(copy, ct);
        copy.Position = 0;
        return copy;
    }

    public ValueTask<string?> MaybeText(string? text, CancellationToken ct = default) => new(text);

    public ValueTask<int?> MaybeNumber(int? number, CancellationToken ct = default) => new(number);

    public ValueTask<Dictionary<string, Part>> ByName(Dictionary<string, Part> parts, CancellationToken ct = default) => new(parts);

    public ValueTask<int> Sum(params int[] numbers) => new(numbers.Sum());

    public int Local() => 1;

    internal static string Join(params object?[] values) =>
        string.Join('|', values.Select(static one => one is IFormattable text ? text.ToString(null, CultureInfo.InvariantCulture) : one?.ToString() ?? "null"));
}
