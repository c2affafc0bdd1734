using System.Text;
using System.Text.Json;
using Weir.Runtime;

namespace Weir.Tests.Contract;

/// <summary>Text is written without the JSON writer, and short text without escapes read without the reader; the result must be the same.</summary>
public sealed class PlainTextTests
{
    public static TheoryData<string> Texts
    {
        get
        {
            var texts = new TheoryData<string> { "", "null", "a b", "\"", "\\", "a\"b", "a\\b", "\u007f", "\u001f", "<>&'+", "\u00e9", "\u20ac", "\ud83d\ude00", "\u2028" };
            foreach (var length in (int[])[1, 63, 64, 65, 200])
            {
                texts.Add(new string('x', length));
                texts.Add(new string('x', length - 1) + "\n");
            }

            return texts;
        }
    }

    [Theory]
    [MemberData(nameof(Texts))]
    public void Text_is_written_as_the_JSON_writer_writes_it(string text)
    {
        using var written = new PayloadWriter();
        PayloadReader.WriteText(written, text, ResultEncoding.Json);
        using var expected = new PayloadWriter();
        expected.BeginJson().WriteStringValue(text);
        expected.EndJson();

        Assert.Equal(Encoding.UTF8.GetString(expected.WrittenSpan), Encoding.UTF8.GetString(written.WrittenSpan));
    }

    [Theory]
    [MemberData(nameof(Texts))]
    public void Text_is_read_as_it_was_written(string text)
    {
        using var written = new PayloadWriter();
        PayloadReader.WriteText(written, text, ResultEncoding.Json);

        Assert.Equal(text, PayloadReader.ReadText(written.WrittenSpan, ResultEncoding.Json));
        Assert.Equal(text, PayloadReader.ReadText(JsonSerializer.SerializeToUtf8Bytes(text), ResultEncoding.Json));
    }

    [Theory]
    [InlineData("\"")]
    [InlineData("\"a")]
    [InlineData("a\"")]
    [InlineData("\"a\"b\"")]
    [InlineData("\"\\\"")]
    [InlineData("\"a\" \"")]
    [InlineData("\"\u0001\"")]
    [InlineData("")]
    [InlineData("5")]
    public void Invalid_text_is_a_violation_by_the_sender(string payload) =>
        Assert.Throws<ProtocolViolationException>(() => PayloadReader.ReadText(Encoding.UTF8.GetBytes(payload), ResultEncoding.Json));

    [Theory]
    [InlineData("null", null)]
    [InlineData(" \"a\"", "a")]
    [InlineData("\"\\u0041\"", "A")]
    public void Every_form_of_JSON_text_is_read(string payload, string? text) =>
        Assert.Equal(text, PayloadReader.ReadText(Encoding.UTF8.GetBytes(payload), ResultEncoding.Json));
}
