using Microsoft.Extensions.Primitives;
using Weir.AspNetCore.Formatting;

namespace Weir.Tests.AspNetCore;

public sealed class NegotiationTests
{
    private const string Text = "text/plain; charset=utf-8";
    private const string Json = "application/json";
    private const string Lines = "application/x-ndjson";
    private const string Marked = "application/x-ndjson; weir=1";
    private const string Events = "text/event-stream";

    [Theory]
    [InlineData(ResultKind.Text, null, Text)]
    [InlineData(ResultKind.Text, "", Text)]
    [InlineData(ResultKind.Text, "*/*", Text)]
    [InlineData(ResultKind.Text, "text/*", Text)]
    [InlineData(ResultKind.Text, "TEXT/PLAIN", Text)]
    [InlineData(ResultKind.Text, "text/plain;charset=utf-8", Text)]
    [InlineData(ResultKind.Text, "application/json", Json)]
    [InlineData(ResultKind.Text, "application/*", Json)]
    [InlineData(ResultKind.Text, "application/json, text/plain", Text)]
    [InlineData(ResultKind.Text, "application/json, text/plain;q=0.9", Json)]
    [InlineData(ResultKind.Text, "text/plain;q=0.1, application/json", Json)]
    [InlineData(ResultKind.Text, "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8", Text)]
    [InlineData(ResultKind.Text, "text/plain;q=0, */*", Json)]
    [InlineData(ResultKind.Text, "*/*;q=0.5, text/*;q=0", Json)]
    [InlineData(ResultKind.Text, "*/*, text/plain;q=0.4, application/json;q=0.5", Json)]
    [InlineData(ResultKind.Text, "text/plain;q=0", null)]
    [InlineData(ResultKind.Text, "*/*;q=0", null)]
    [InlineData(ResultKind.Text, "*/*;q=0.000", null)]
    [InlineData(ResultKind.Text, "application/xml", null)]
    [InlineData(ResultKind.Text, "application/octet-stream", null)]
    [InlineData(ResultKind.Text, "text/event-stream", null)]
    [InlineData(ResultKind.Text, "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", Text)]
    [InlineData(ResultKind.Text, "text/plain;q=abc", Text)]
    [InlineData(ResultKind.Text, "text/plain;q=2, application/json;q=0.1", Json)]
    [InlineData(ResultKind.Text, "text/plain;q=0.0001, application/json;q=0.1", Json)]
    [InlineData(ResultKind.Text, "text/plain ; q=0.2 , application/json ; Q=0.3", Json)]
    [InlineData(ResultKind.Text, "garbage", Text)]
    [InlineData(ResultKind.Text, "*/json", Text)]
    [InlineData(ResultKind.Text, "application/json;a=\"x,y;q=0\";q=0.9, text/plain;q=0.8", Json)]
    [InlineData(ResultKind.Text, "application/json;a=\"\\\",text/plain\"", Json)]
    [InlineData(ResultKind.Bytes, null, "application/octet-stream")]
    [InlineData(ResultKind.Bytes, "application/json", Json)]
    [InlineData(ResultKind.Bytes, "text/plain", null)]
    [InlineData(ResultKind.Value, "application/json; charset=utf-8", Json)]
    [InlineData(ResultKind.Value, "text/plain", null)]
    [InlineData(ResultKind.Stream, null, Json)]
    [InlineData(ResultKind.Stream, "*/*", Json)]
    [InlineData(ResultKind.Stream, "application/x-ndjson", Lines)]
    [InlineData(ResultKind.Stream, "application/x-ndjson; weir=1", Marked)]
    [InlineData(ResultKind.Stream, "application/x-ndjson; weir=\"1\"", Marked)]
    [InlineData(ResultKind.Stream, "application/x-ndjson; weir=2", Lines)]
    [InlineData(ResultKind.Stream, "application/x-ndjson;weir=1;q=0.2, application/x-ndjson;q=0.1", Marked)]
    [InlineData(ResultKind.Stream, "application/x-ndjson;weir=1, application/json;q=0.5", Marked)]
    [InlineData(ResultKind.Stream, "application/ndjson", "application/ndjson")]
    [InlineData(ResultKind.Stream, "application/jsonl", "application/jsonl")]
    [InlineData(ResultKind.Stream, "application/jsonl; weir=1", "application/jsonl; weir=1")]
    [InlineData(ResultKind.Stream, "text/event-stream", Events)]
    [InlineData(ResultKind.Stream, "text/*", Events)]
    [InlineData(ResultKind.Stream, "text/event-stream, application/json;q=0.9", Events)]
    [InlineData(ResultKind.Stream, "text/plain", null)]
    public void The_closest_range_decides_and_the_best_quality_wins(ResultKind kind, string? accept, string? contentType) =>
        Assert.Equal(contentType, Choose(kind, accept));

    [Fact]
    public void Several_header_lines_are_one_list() =>
        Assert.Equal(Json, Choose(ResultKind.Text, new StringValues(["text/plain;q=0.1", "application/xml", "application/json"])));

    [Theory]
    [InlineData(ResultKind.Stream, "ndjson", "application/x-ndjson; weir=1", Marked)]
    [InlineData(ResultKind.Stream, "NDJSON", "application/jsonl", "application/jsonl")]
    [InlineData(ResultKind.Stream, "ndjson", "*/*", Lines)]
    [InlineData(ResultKind.Stream, "ndjson", "application/json", null)]
    public void An_extension_limits_the_choice_to_its_media_types(ResultKind kind, string extension, string accept, string? contentType) =>
        Assert.Equal(contentType, Negotiation.Choose(Of(kind).WithExtension(extension)!, accept)?.ContentType.ToString());

    [Theory]
    [InlineData(ResultKind.None, "json")]
    [InlineData(ResultKind.Value, "json")]
    [InlineData(ResultKind.Text, "txt json")]
    [InlineData(ResultKind.Bytes, "bin json")]
    [InlineData(ResultKind.Stream, "json ndjson sse")]
    public void Extensions_are_those_of_the_result(ResultKind kind, string extensions)
    {
        Assert.Equal(extensions.Split(' '), Of(kind).Extensions);
        Assert.Null(Of(kind).WithExtension("zzz"));
    }

    private static string? Choose(ResultKind kind, StringValues accept) => Negotiation.Choose(Of(kind), accept)?.ContentType.ToString();

    private static Formats Of(ResultKind kind) => Formats.Of(new Operation
    {
        Name = "A",
        Verbs = Verbs.Get,
        ResultKind = kind,
        Signature = 1,
        CreateCall = static _ => throw new NotSupportedException(),
    });
}
