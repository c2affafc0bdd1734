using System.Globalization;
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

    [Theory]
    [InlineData("a b", "x;y")]
    [InlineData("", "a\"b")]
    [InlineData("a, \"b", "'")]
    public async Task Text_that_a_header_holds_arrives_as_it_is(string text, string element)
    {
        string[] texts = element.Contains('"', StringComparison.Ordinal) ? [] : [element, "z"];
        Assert.Equal($"[{text}] {string.Join('|', texts)}", await _values.Texts(text, texts, Cancel));
    }

    [Theory]
    [InlineData(" a", null)]
    [InlineData("a\t", null)]
    [InlineData("é", null)]
    [InlineData("水", null)]
    [InlineData("a\u0001", null)]
    [InlineData("a\nb", null)]
    [InlineData(null, "")]
    [InlineData(null, " a")]
    [InlineData(null, "a,b")]
    [InlineData(null, "\"a")]
    public async Task Text_that_a_header_does_not_hold_is_refused_before_anything_is_sent(string? text, string? element)
    {
        var error = await Assert.ThrowsAsync<ArgumentException>(async () => await _values.Texts(text, element is null ? [] : ["x", element], Cancel));
        Assert.Equal(element is null ? "X-Text" : "X-Texts", error.ParamName);
    }

    [Fact]
    public async Task A_header_that_describes_the_body_is_sent() => Assert.Equal("de 5", await _values.Language("de", 5, Cancel));

    [Theory]
    [InlineData(",", "-")] // As in de-DE.
    [InlineData(",", "\u2212")] // sv-SE
    [InlineData("\u066B", "\u200E\u2212")] // fa-IR
    [InlineData("\u066B", "\u061C-")] // ar-SA
    public async Task The_culture_of_the_caller_changes_no_value(string point, string minus)
    {
        var before = CultureInfo.CurrentCulture;
        var culture = (CultureInfo)CultureInfo.InvariantCulture.Clone();
        (culture.NumberFormat.NumberDecimalSeparator, culture.NumberFormat.NegativeSign) = (point, minus);
        CultureInfo.CurrentCulture = culture;
        try
        {
            Assert.Equal("-1234.50 0.25+3.00 7.00", await _values.Amounts(new Amount(-1234.5m), [new Amount(0.25m), new Amount(3)], new Amount(7), Cancel));
            Assert.Equal("-1234.50 +0.25 ", await _values.AmountsInBody(new Amount(-1234.5m), [null, new Amount(0.25m)], Cancel));
        }
        finally
        {
            CultureInfo.CurrentCulture = before;
        }
    }

    [Fact]
    public async Task A_value_whose_type_does_not_write_its_text_is_refused()
    {
        var error = await Assert.ThrowsAsync<ArgumentException>(async () => await _values.Unwritten(new Unwritten("x"), Cancel));
        Assert.Contains("WEIR1057", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Items_whose_JSON_has_line_breaks_are_items() => Assert.Equal(
        ["{ \"a\":  1 }", "2"],
        (await _values.EchoStored(Items(), Cancel).ToListAsync(Cancel)).Select(static one => one.Json));

    [Theory]
    [InlineData(double.NaN)]
    [InlineData(double.NegativeInfinity)]
    public async Task A_number_that_JSON_cannot_hold_is_refused_with_its_parameter(double number)
    {
        Assert.Equal("number", (await Assert.ThrowsAsync<ArgumentException>(async () => await _values.Reals(number, [], Cancel))).ParamName);
        Assert.Equal("more", (await Assert.ThrowsAsync<ArgumentException>(async () => await _values.Reals(1, [(float)number], Cancel))).ParamName);
        Assert.Equal("numbers", (await Assert.ThrowsAsync<ArgumentException>(async () => await _values.Count(new[] { 1, number }.ToAsyncEnumerable(), Cancel))).ParamName);
        Assert.Equal("number", Assert.Single((await Assert.ThrowsAsync<BindingException>(async () => await _values.Real(number, Cancel))).Errors).Name);
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
        Assert.Null(await _values.MaybeMemory(true, Cancel));
        Assert.Equal("null"u8.ToArray(), (await _values.MaybeMemory(false, Cancel))!.Value.ToArray());
        var broken = await Assert.ThrowsAsync<UnexpectedResponseException>(async () => await _values.NoBytes(Cancel));
        Assert.Contains("NoBytes answered with null, and the contract says bytes", broken.Message, StringComparison.Ordinal);
        Assert.Equal([1, 2], await _values.MaybeBytes(false, Cancel));
        Assert.Null(await _values.MaybeStream(true, Cancel));
        Assert.Null(await _values.MaybePipe(true, Cancel));
        await using var some = await _values.MaybeStream(false, Cancel);
        Assert.Equal(1, some!.ReadByte());
        var pipe = await _values.MaybePipe(false, Cancel);
        Assert.Equal(2, (await pipe!.ReadAtLeastAsync(2, Cancel)).Buffer.Length);
        await pipe.CompleteAsync();
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

    }

    [Theory]
    [InlineData("a\"b.txt")]
    [InlineData("a\r\nb.txt")]
    [InlineData("水 é.txt")]
    [InlineData("a\\b\\")]
    [InlineData("100%25.txt")]
    public async Task The_name_of_a_file_arrives_as_it_is(string name) =>
        Assert.Equal($"{name}|text/plain|hello||note", await _values.Upload(File(name, "text/plain", "hello"), [], "note", Cancel));

    [Theory]
    [InlineData("", "text/plain")]
    [InlineData("half", "text/plain")]
    [InlineData("a", "text")]
    public async Task A_file_that_a_form_does_not_hold_is_refused(string name, string type) =>
        Assert.Equal("first", (await Assert.ThrowsAsync<ArgumentException>(async () => await _values.Upload(File(name == "half" ? "a" + '\ud800' : name, type, "hello"), [], "note", Cancel))).ParamName);

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

    private static FormFile File(string name, string type, string text)
    {
        var bytes = Encoding.UTF8.GetBytes(text);
        return new FormFile(new MemoryStream(bytes), 0, bytes.Length, "ignored", name) { Headers = new HeaderDictionary(), ContentType = type };
    }

    private static async IAsyncEnumerable<Stored> Items()
    {
        await Task.Yield();
        yield return new Stored("{\n\"a\":\r\n1\r}");
        yield return new Stored("2");
    }

    [Fact]
    public async Task Many_calls_at_once_each_get_their_own_result() =>
        Assert.All(
            await Task.WhenAll(Enumerable.Range(0, 500).Select(async index => (index, part: await _values.Body(new Part($"{index}", index), 2, Cancel)))),
            static one => Assert.Equal(($"{one.index}", one.index * 2), (one.part.Name, one.part.Count)));
}
