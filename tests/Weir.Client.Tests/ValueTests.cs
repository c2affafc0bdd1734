using System.Text;
using Microsoft.AspNetCore.Http;
using Weir.Client.Tests.Services;

namespace Weir.Client.Tests;

/// <summary>Arguments arrive as they were passed, and results as they were returned.</summary>
public sealed class ValueTests(ClientHost host) : IClassFixture<ClientHost>
{
    private readonly IValues _values = host.Client<IValues>();

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("plain")]
    [InlineData("")]
    [InlineData("a&b=c d+e%2F/é水\"\\<>'{}#?")]
    public async Task Scalars_are_the_same_in_the_query_and_in_the_body(string text)
    {
        var id = Guid.NewGuid();
        var at = new DateTime(2026, 1, 31, 12, 30, 15, 123, DateTimeKind.Utc).AddTicks(4567);
        var when = new DateTimeOffset(2026, 1, 31, 12, 30, 0, TimeSpan.FromHours(-5.5));
        var (day, time, span) = (new DateOnly(2026, 2, 28), new TimeOnly(23, 59, 59, 999), new TimeSpan(-1, 2, 3, 4, 5));
        var link = new Uri("https://a.example/b?c=d#e");
        var expected = Values.Join(
            text, true, int.MinValue, long.MaxValue, "0.1", 79228162514264337593543950335m, id, at.ToString("O"), when.ToString("O"), day, time.ToString("O"), span, 'ß', Shade.Dark, Sides.Left | Sides.Right, link, new Code("x y"));

        Assert.Equal(expected, await _values.Scalars(
            text, true, int.MinValue, long.MaxValue, 0.1, 79228162514264337593543950335m, id, at, when, day, time, span, 'ß', Shade.Dark, Sides.Left | Sides.Right, link, new Code("x y"), Cancel));
        Assert.Equal(expected, await _values.ScalarsInBody(
            text, true, int.MinValue, long.MaxValue, 0.1, 79228162514264337593543950335m, id, at, when, day, time, span, 'ß', Shade.Dark, Sides.Left | Sides.Right, link, new Code("x y"), Cancel));
    }

    [Fact]
    public async Task Null_is_absent_in_the_query()
    {
        Assert.Equal("null|null|null|null", await _values.Optional(null, ct: Cancel));
        Assert.Equal("1|a|Light|3+4", await _values.Optional(1, "a", Shade.Light, [3, 4], Cancel));
    }

    [Fact]
    public async Task What_the_query_cannot_express_is_refused_before_anything_is_sent()
    {
        var replaced = await Assert.ThrowsAsync<ArgumentException>(async () => await _values.Defaults(null, ct: Cancel));
        Assert.Contains("the server would take 5 instead", replaced.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<ArgumentException>(async () => await _values.Optional(1, numbers: [], ct: Cancel));
        Assert.Equal("null|x", await _values.DefaultsInBody(null, "x", Cancel));
        Assert.Equal("5|none", await _values.Defaults(ct: Cancel));
    }

    [Fact]
    public async Task Lists_are_repeated_in_the_query()
    {
        Assert.Equal("1+2|a,b+c|Dark+Light", await _values.Lists([1, 2], ["a,b", "c"], [Shade.Dark, Shade.Light], Cancel));
        Assert.Equal("||", await _values.Lists([], [], [], Cancel));
    }

    [Fact]
    public async Task Paths_have_values_and_the_rest_of_the_path_has_slashes()
    {
        var parts = new[] { new Part("p", 1) };
        var part = await _values.InPath("a b:ü", -7, Shade.Dark, parts, Cancel);
        Assert.Equal(("a b:ü", -7, Shade.Dark), (part.Name, part.Count, part.Shade));
        Assert.Equal(parts, part.Parts);
        Assert.Equal("a/b c/d.txt", await _values.Rest("a/b c/d.txt", Cancel));
        Assert.Equal("7", await _values.Page(7, Cancel));
        Assert.Equal("null", await _values.Page(ct: Cancel));
        Assert.Equal("q", await _values.Literal("q", Cancel));
    }

    [Theory]
    [InlineData("")]
    [InlineData(".")]
    [InlineData("..")]
    [InlineData("a/b")]
    public async Task A_value_that_a_path_cannot_have_is_refused(string name)
    {
        var error = await Assert.ThrowsAsync<ArgumentException>(async () => await _values.InPath(name, 1, Shade.Light, [], Cancel));
        Assert.Contains("'name'", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Headers_and_forms_have_values()
    {
        Assert.Equal("north|1+2", await _values.Header("north", [1, 2], Cancel));
        Assert.Equal("a&b=é|3+4|Dark", await _values.Form("a&b=é", [3, 4], Shade.Dark, Cancel));
        await Assert.ThrowsAsync<ArgumentException>(async () => await _values.Header("a\r\nX-Other: b", [], Cancel));
    }

    [Fact]
    public async Task Objects_are_bodies_and_members()
    {
        var part = new Part("水門", 2, Shade.Dark, [new Part("inner", 3)]);
        var times = await _values.Body(part, 3, Cancel);
        Assert.Equal(("水門", 6, Shade.Dark, "inner"), (times.Name, times.Count, times.Shade, Assert.Single(times.Parts!).Name));
        Assert.Null(await _values.MaybeBody(null, Cancel));
        Assert.Equal("inner", (await _values.MaybeBody(part, Cancel))!.Parts![0].Name);
        Assert.Equal(["a", "a", "b"], (await _values.TwoBodies(new Part("a", 1), new Part("b", 1), 2, Cancel)).Select(static one => one.Name));
        Assert.Empty(await _values.TwoBodies(part, null, 0, Cancel));
        Assert.Equal(6, await _values.Sum(1, 2, 3));
        Assert.Equal(0, await _values.Sum(null!));
    }

    [Fact]
    public async Task Bytes_are_sent_and_received_as_they_are()
    {
        Assert.Equal([3, 2, 1], await _values.Reverse([1, 2, 3], Cancel));
        Assert.Equal([2, 1], (await _values.ReverseMemory(new byte[] { 1, 2, 3 }, 1, Cancel)).ToArray());
        Assert.Null(await _values.MaybeBytes(true, Cancel));
        Assert.Equal([1, 2], await _values.MaybeBytes(false, Cancel));
        var sent = Encoding.UTF8.GetBytes(new string('x', 100_000));
        using var source = new MemoryStream(sent);
        await using var echo = await _values.Echo(source, Cancel);
        var received = new MemoryStream();
        await echo.CopyToAsync(received, Cancel);
        Assert.Equal(sent, received.ToArray());
        Assert.True(source.CanRead, "the stream is the caller's");
    }

    [Fact]
    public async Task Files_are_sent_with_the_values_of_their_form()
    {
        Assert.Equal("a é.txt|text/plain|hello|b.bin:3+c.bin:2|x&y \"z\"", await _values.Upload(File("a é.txt", "text/plain", "hello"), [File("b.bin", "", "123"), File("c.bin", "", "12")], "x&y \"z\"", Cancel));

        static FormFile File(string name, string type, string text)
        {
            var bytes = Encoding.UTF8.GetBytes(text);
            return new FormFile(new MemoryStream(bytes), 0, bytes.Length, "ignored", name) { Headers = new HeaderDictionary(), ContentType = type };
        }
    }

    [Fact]
    public async Task Null_and_nothing_come_back()
    {
        Assert.Null(await _values.MaybeText(null, Cancel));
        Assert.Equal("null", await _values.MaybeText("null", Cancel));
        Assert.Null(await _values.MaybeNumber(null, Cancel));
        Assert.Equal(3, await _values.MaybeNumber(3, Cancel));
        await _values.Remove("a", true, Cancel);
        Assert.Equal("a|True", Values.Removed);
    }

    [Fact]
    public async Task Types_that_only_the_serializer_knows_are_exchanged()
    {
        var parts = await _values.ByName(new Dictionary<string, Part> { ["one"] = new("x", 1, Shade.Dark) }, Cancel);
        Assert.Equal(Shade.Dark, parts["one"].Shade);
    }

    [Fact]
    public void A_method_that_is_no_operation_cannot_be_called() => Assert.Throws<NotSupportedException>(() => _values.Local());

    [Fact]
    public async Task Many_calls_at_once_each_get_their_own_result() =>
        Assert.All(
            await Task.WhenAll(Enumerable.Range(0, 500).Select(async index => (index, part: await _values.Body(new Part($"{index}", index), 2, Cancel)))),
            static one => Assert.Equal(($"{one.index}", one.index * 2), (one.part.Name, one.part.Count)));
}
