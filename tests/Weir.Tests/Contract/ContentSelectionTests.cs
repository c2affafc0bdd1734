using System.Globalization;
using System.Text;
using Weir.Runtime;

namespace Weir.Tests.Contract;

/// <summary>What is sent of content for what its reader asks (RFC 9110 §13 and §14).</summary>
public sealed class ContentSelectionTests
{
    private const string Date = "Sun, 06 Nov 1994 08:49:37 GMT";

    private static readonly Operation File = new() { Name = "File", Verbs = Verbs.Get, ResultKind = ResultKind.Raw, Signature = 0, CreateCall = static _ => throw new NotSupportedException() };

    static ContentSelectionTests() => _ = new Service { Name = "Test", TypeName = "Test", CreateInstance = static _ => new object(), Operations = [File] };

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(null, "200 0+10")]
    [InlineData("bytes=0-4", "206 0+5 bytes 0-4/10")]
    [InlineData("Bytes=9-9", "206 9+1 bytes 9-9/10")]
    [InlineData("bytes=5-", "206 5+5 bytes 5-9/10")]
    [InlineData("bytes=5-99999999999999999999", "206 5+5 bytes 5-9/10")]
    [InlineData("bytes=-3", "206 7+3 bytes 7-9/10")]
    [InlineData("bytes=-99", "206 0+10 bytes 0-9/10")]
    [InlineData(" bytes= 1-2 ,, ", "206 1+2 bytes 1-2/10")]
    [InlineData("bytes=10-", "416 0+0 bytes */10")]
    [InlineData("bytes=99999999999999999999-", "416 0+0 bytes */10")]
    [InlineData("bytes=-0", "416 0+0 bytes */10")]
    [InlineData("bytes=0-1,3-4", "200 0+10")]
    [InlineData("bytes=4-3", "200 0+10")]
    [InlineData("bytes=", "200 0+10")]
    [InlineData("bytes=-", "200 0+10")]
    [InlineData("bytes=1", "200 0+10")]
    [InlineData("bytes=+1-2", "200 0+10")]
    [InlineData("bytes 0-4", "200 0+10")]
    [InlineData("items=0-4", "200 0+10")]
    public void A_range_selects_bytes(string? range, string expected) => Assert.Equal(expected, Show(Select(new RequestConditions { Range = range })));

    [Theory]
    [InlineData("bytes=-5", "200 0+0")]
    [InlineData("bytes=0-", "416 0+0 bytes */0")]
    public void Nothing_has_no_range(string range, string expected) => Assert.Equal(expected, Show(Select(new RequestConditions { Range = range }, content: new MemoryStream())));

    [Theory]
    [InlineData("\"a\"", "206")]
    [InlineData("\"b\"", "200")]
    [InlineData("W/\"a\"", "200")]
    [InlineData("a", "200")]
    [InlineData(Date, "206")]
    [InlineData("Sun, 06 Nov 1994 08:49:38 GMT", "200")]
    public void A_range_is_sent_only_of_the_content_that_the_reader_knows(string condition, string status) =>
        Assert.StartsWith(status, Show(Select(new RequestConditions { Range = "bytes=0-4", IfRange = condition }, chosen: new() { ["etag"] = "\"a\"", ["last-modified"] = Date })), StringComparison.Ordinal);

    [Theory]
    [InlineData("W/\"a\"", null, "W/\"a\"")]
    [InlineData("\"a\"", null, null)]
    [InlineData(Date, null, null)]
    public void A_weak_tag_or_none_is_no_proof(string condition, string? modified, string? tag)
    {
        var chosen = new Dictionary<string, string>();
        if (tag is not null)
        {
            chosen["ETag"] = tag;
        }

        if (modified is not null)
        {
            chosen["Last-Modified"] = modified;
        }

        Assert.StartsWith("200", Show(Select(new RequestConditions { Range = "bytes=0-4", IfRange = condition }, chosen)), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("\"a\"", "\"a\"", true)]
    [InlineData("W/\"a\"", "\"a\"", true)]
    [InlineData("\"a\"", "W/\"a\"", true)]
    [InlineData("\"x,y\", W/\"b\" ,\"a\"", "\"a\"", true)]
    [InlineData("*", "\"a\"", true)]
    [InlineData("*", null, true)]
    [InlineData("\"b\"", "\"a\"", false)]
    [InlineData("\"b, \"a\"", "\"a\"", false)]
    [InlineData("a", "\"a\"", false)]
    [InlineData("\"a\"", null, false)]
    [InlineData("\"", "\"a\"", false)]
    public void What_the_reader_has_already_is_not_sent_again(string known, string? tag, bool isKnown)
    {
        var selection = Select(new RequestConditions { IfNoneMatch = known, Range = "bytes=0-1" }, tag is null ? null : new() { ["ETag"] = tag });
        Assert.Equal(isKnown ? "304 0+" : "206 0+2 bytes 0-1/10", Show(selection));
        Assert.Equal(!isKnown, selection.HasContent);
    }

    [Fact]
    public void A_304_has_what_a_cache_needs_and_nothing_of_the_content()
    {
        var chosen = new Dictionary<string, string> { ["ETag"] = "\"a\"", ["Cache-Control"] = "private", ["Content-Type"] = "image/png", ["Content-Disposition"] = "attachment", ["Content-Location"] = "/x", ["Content-Length"] = "10" };
        var headers = Select(new RequestConditions { IfNoneMatch = "\"a\"" }, chosen).Headers();
        Assert.Equal(["Cache-Control", "Content-Location", "ETag"], headers.Keys.Order());
    }

    [Fact]
    public void A_range_is_announced_where_the_stream_can_seek()
    {
        Assert.Equal(("bytes", "10"), (Select(null).Headers()["accept-ranges"], Select(null).Headers()["content-length"]));
        Assert.Empty(Select(new RequestConditions { Range = "bytes=0-1" }, content: new Forward(10)).Headers());
        Assert.Equal("200 0+10", Show(Select(new RequestConditions { Range = "bytes=0-1" }, chosen: new() { ["Accept-Ranges"] = "none" })));
        Assert.Equal("none", Select(null, chosen: new() { ["Accept-Ranges"] = "none" }).Headers()["Accept-Ranges"]);
    }

    [Theory]
    [InlineData(201)]
    [InlineData(206)]
    [InlineData(404)]
    public void An_operation_that_chose_a_status_is_not_asked_again(int status)
    {
        var selection = Select(new RequestConditions { Range = "bytes=0-1", IfNoneMatch = "*" }, status: status);
        Assert.Equal((null, true, 10L), (selection.Status, selection.HasContent, selection.Length));
        Assert.DoesNotContain("Accept-Ranges", selection.Headers().Keys);
    }

    [Theory]
    [InlineData("9")]
    [InlineData("11")]
    [InlineData("-1")]
    [InlineData("ten")]
    public void A_length_that_is_not_the_streams_is_refused(string length) =>
        Assert.Throws<InvalidOperationException>(() => Select(null, chosen: new() { ["Content-Length"] = length }));

    [Theory]
    [InlineData("bytes=2-5", "2345")]
    [InlineData(null, "0123456789")]
    public async Task Selected_bytes_are_read_and_no_more(string? range, string expected)
    {
        using var content = new MemoryStream("ab0123456789"u8.ToArray()) { Position = 2 };
        Assert.Equal(expected, await ReadAsync(content, Select(range is null ? null : new RequestConditions { Range = range }, content: content)));
    }

    [Theory]
    [InlineData(10, 10, true)]
    [InlineData(0, 0, true)]
    [InlineData(10, 9, false)]
    [InlineData(10, 11, false)]
    [InlineData(0, 1, false)]
    public async Task Content_that_has_another_length_than_was_said_never_gives_out_its_last_byte(int said, int has, bool isComplete)
    {
        var content = new Forward(has);
        var selection = Select(null, chosen: new() { ["Content-Length"] = said.ToString(CultureInfo.InvariantCulture) }, content: content);
        Assert.Equal(said, selection.Length);
        var selected = new SelectedContent(content, selection);
        var read = 0;
        var failure = await Record.ExceptionAsync(async () =>
        {
            for (int count; (count = await selected.ReadAsync(new byte[3], Cancel)) > 0; read += count)
            {
            }
        });

        Assert.Equal(isComplete, failure is null);
        Assert.True(isComplete ? read == said : read < Math.Max(1, said));
    }

    [Fact]
    public void Conditions_travel_among_the_items_of_a_call()
    {
        Assert.Null(RequestConditions.ReadFrom(null));
        Assert.Null(RequestConditions.ReadFrom([new("weir.if-range", "\"a\""), new("mine", "x")]));
        var read = RequestConditions.ReadFrom([new("weir.range", "bytes=0-1"), new("weir.if-range", "\"a\""), new("weir.if-none-match", "*")])!;
        Assert.Equal(("bytes=0-1", "\"a\"", "*"), (read.Range, read.IfRange, read.IfNoneMatch));
    }

    private static ContentSelection Select(RequestConditions? conditions, Dictionary<string, string>? chosen = null, Stream? content = null, int? status = null) =>
        ContentSelection.Of(File, content ?? new MemoryStream(new byte[10]), status, chosen is null ? null : new Dictionary<string, string>(chosen, StringComparer.OrdinalIgnoreCase), conditions);

    private static string Show(ContentSelection selection) =>
        $"{selection.Status ?? 200} {selection.Offset}+{selection.Length} {selection.Headers().GetValueOrDefault("Content-Range")}".TrimEnd();

    private static async Task<string> ReadAsync(Stream content, ContentSelection selection)
    {
        var selected = new SelectedContent(content, selection);
        var text = "";
        var buffer = new byte[3];
        for (int count; (count = await selected.ReadAsync(buffer, Cancel)) > 0;)
        {
            text += Encoding.ASCII.GetString(buffer, 0, count);
        }

        return text;
    }

    private sealed class Forward(int length) : MemoryStream(new byte[length])
    {
        public override bool CanSeek => false;
    }
}
