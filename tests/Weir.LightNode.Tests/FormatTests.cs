using System.IO.Compression;
using System.Text;
using Weir.LightNode.Tests.Hosting;

namespace Weir.LightNode.Tests;

/// <summary>
/// Which format a result has, and what the response says of it: by extension (<see cref="PathTests"/>), then by <c>Accept</c> as RFC 9110 has it, then by
/// the result. LightNode never refuses an <c>Accept</c>, knows neither ranges nor q=0, and does not split a header at commas.
/// </summary>
public abstract class FormatTests(LightNodeApplication application, Placement placement) : WireTests(application, placement)
{
    private const string Browser = "Accept: text/html, application/xhtml+xml, application/xml;q=0.9, image/webp, */*;q=0.8";

    [Theory]
    [InlineData("Text", Text, "テキスト")] // LightNode's first format, JSON, is for texts too.
    [InlineData("Text.json", Json, "\"テキスト\"")]
    [InlineData("Number", Json, "42")]
    [InlineData("Person", Json, """{"age":7,"name":"名前"}""")]
    [InlineData("Bytes", "application/octet-stream", "\0\u0001\ufffd")]
    [InlineData("Bytes.json", Json, "\"AAH/\"")]
    [InlineData("Null", Json, "null")]
    [InlineData("Null.txt", Json, "null")]
    [InlineData("Stream", Json, "[1,2]")]
    [InlineData("Stream.ndjson", "application/x-ndjson", "1\n2\n")]
    [InlineData("Stream.sse", "text/event-stream", "id: 0\ndata: 1\n\nid: 1\ndata: 2\n\nid: $end\nevent: end\ndata: {\"count\":2}\n\n")]
    public async Task Without_Accept_the_result_decides(string operation, string contentType, string body)
    {
        var answer = await GetAsync($"/FormatterCheck/{operation}");
        Assert.Equal((200, contentType, body), (answer.Status, answer.ContentType, answer.Body));
    }

    [Theory]
    [InlineData("Text")]
    [InlineData("Number")]
    [InlineData("Null")]
    public async Task A_single_result_has_its_exact_length(string operation)
    {
        var answer = await GetAsync($"/FormatterCheck/{operation}");
        Assert.Equal(answer.Bytes.Length, answer.ContentLength);
        Assert.Null(answer.Header("Content-Encoding"));
    }

    [Fact]
    public async Task No_result_is_204_and_its_extension_is_checked_nevertheless()
    {
        var answer = await GetAsync("/FormatterCheck/Nothing");
        Assert.Equal((204, "", null), (answer.Status, answer.Body, answer.ContentType));
        Assert.Equal(204, (await GetAsync("/FormatterCheck/Nothing.json")).Status);
        Assert.Equal(204, (await GetAsync("/FormatterCheck/Nothing", "Accept: application/xml")).Status); // There is nothing that could be in a format.
        (await GetAsync("/FormatterCheck/Nothing.zzz")).Problem(406, WeirCodes.NotAcceptable);
    }

    [Theory]
    [InlineData("Text", "Accept: text/plain", Text)]
    [InlineData("Text", "Accept: TEXT/PLAIN", Text)]
    [InlineData("Text", "Accept: text/plain;charset=utf-8", Text)]
    [InlineData("Text", "Accept: text/*", Text)]
    [InlineData("Text", "Accept: */*", Text)]
    [InlineData("Text", "Accept: application/json", Json)]
    [InlineData("Text", "Accept: text/plain;q=0.1, application/json", Json)]
    [InlineData("Text", "Accept: application/json, text/plain", Text)] // Equal qualities: the result decides.
    [InlineData("Text", "Accept: text/plain;q=0, */*", Json)]
    [InlineData("Text", "Accept: text/plain;q=0, */*;q=0.1", Json)]
    [InlineData("Text", Browser, Text)]
    [InlineData("Stream", "Accept: text/event-stream;q=0.9, application/x-ndjson", "application/x-ndjson")]
    [InlineData("Bytes", "Accept: application/*", "application/octet-stream")]
    public async Task The_best_quality_of_Accept_decides(string operation, string accept, string contentType)
    {
        var answer = await GetAsync($"/FormatterCheck/{operation}", accept);
        Assert.Equal((200, contentType), (answer.Status, answer.ContentType));
        Assert.Contains("Accept", answer.Header("Vary"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_result_with_one_format_does_not_vary_by_Accept()
    {
        var answer = await GetAsync("/FormatterCheck/Number", Browser);
        Assert.Equal((200, Json, null), (answer.Status, answer.ContentType, answer.Header("Vary")));
    }

    [Fact]
    public async Task Elements_of_Accept_may_be_on_one_line_or_on_several()
    {
        foreach (var headers in (string[][])[["Accept: text/plain;q=0.1, application/json;q=0.9"], ["Accept: text/plain;q=0.1", "Accept: application/json;q=0.9"]])
        {
            Assert.Equal(Json, (await GetAsync("/FormatterCheck/Text", headers)).ContentType);
        }
    }

    [Theory]
    [InlineData("Number", "Accept: text/html")]
    [InlineData("Number", "Accept: text/plain")] // 200 in JSON with LightNode.
    [InlineData("Number", "Accept: application/json;q=0")]
    [InlineData("Number", "Accept: text/*, image/*")]
    [InlineData("Text", "Accept: application/xml")]
    public async Task Where_nothing_is_acceptable_the_answer_is_406(string operation, string accept) =>
        (await GetAsync($"/FormatterCheck/{operation}", accept)).Problem(406, WeirCodes.NotAcceptable);

    // LightNode has a formatter with a content encoding. Weir leaves encodings to the middleware of ASP.NET Core.
    [Theory]
    [InlineData(Browser, "Accept-Encoding: gzip;q=1.0, identity;q=0.5, *;q=0", "gzip")]
    [InlineData(Browser, null, null)]
    [InlineData("Accept: */*", "Accept-Encoding: gzip", "gzip")]
    [InlineData("Accept: application/json", "Accept-Encoding: gzip;q=0", null)] // LightNode compresses nevertheless.
    public async Task Accept_Encoding_chooses_the_compression(string accept, string? acceptEncoding, string? encoding)
    {
        var answer = await GetAsync("/FormatterCheck/Person", acceptEncoding is null ? [accept] : [accept, acceptEncoding]);
        Assert.Equal((200, Json, encoding), (answer.Status, answer.ContentType, answer.Header("Content-Encoding")));
        Assert.Equal("""{"age":7,"name":"名前"}""", encoding is null ? answer.Body : Decompressed(answer.Bytes));
    }

    private static string Decompressed(byte[] body)
    {
        using var reader = new StreamReader(new GZipStream(new MemoryStream(body), CompressionMode.Decompress), Encoding.UTF8); // At most what the server has sent: bounded.
        return reader.ReadToEnd();
    }
}

public sealed class InlineFormatTests(LightNodeApplication application) : FormatTests(application, Placement.Inline)
{
    // The counterparts of formatters that an operation forces: neither an extension nor Accept chooses.
    [Fact]
    public async Task A_result_that_writes_itself_has_its_own_media_type()
    {
        var answer = await GetAsync("/FormatterCheck/Html", "Accept: application/json");
        Assert.Equal((200, "text/html; charset=utf-8", "<p>html</p>"), (answer.Status, answer.ContentType, answer.Body));
    }
}

public sealed class IsolatedFormatTests(LightNodeApplication application) : FormatTests(application, Placement.Isolated);
