using System.Text;
using Weir.Load.Measuring;

namespace Weir.Load.Tests;

public sealed class ItemCounterTests
{
    [Theory]
    [InlineData("text/event-stream", "data: one\n\n: a comment\n\nevent: x\r\ndata: two\r\n\r\nid: 3\n\ndata: a\ndata: b\n\ndata: unfinished\n", 3)]
    [InlineData("text/event-stream", "data: one\r\r: a comment\r\revent: x\r\ndata: two\r\n\r\nid: 3\r\rdata: a\n\r\ndata: b\r\n\rdata: unfinished\r", 4)]
    [InlineData("application/x-ndjson; charset=utf-8", "{\"id\":1}\n\n{\"id\":2}\r\n\r\n{\"id\":3}", 3)]
    [InlineData("Application/JSONL", "1\n2\n", 2)]
    public void Items_are_counted_however_the_body_is_cut(string contentType, string text, int expected)
    {
        var body = Encoding.UTF8.GetBytes(text);
        foreach (var step in (int[])[1, 2, 3, 5, 1_000])
        {
            var counter = new ItemCounter(ItemFormats.Of(Encoding.ASCII.GetBytes(contentType)));
            var items = 0;
            for (var at = 0; at < body.Length; at += step)
            {
                items += counter.Feed(body.AsSpan(at, Math.Min(step, body.Length - at)));
            }

            Assert.Equal(expected, items + counter.End());
        }
    }

    [Theory]
    [InlineData("application/json")]
    [InlineData("application/x-ndjsonish")]
    [InlineData("")]
    public void Of_another_type_a_piece_is_an_item(string contentType)
    {
        var counter = new ItemCounter(ItemFormats.Of(Encoding.ASCII.GetBytes(contentType)));
        Assert.Equal(1, counter.Feed("[1,\n2,"u8));
        Assert.Equal(0, counter.Feed(default));
        Assert.Equal(1, counter.Feed("3]"u8));
        Assert.Equal(0, counter.End());
    }
}
