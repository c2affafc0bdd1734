using System.Buffers;
using System.Text;
using Weir.AspNetCore.RequestStreams;

namespace Weir.Tests.AspNetCore;

/// <summary>How a body is split into items, wherever the received pieces end.</summary>
public sealed class ItemSplitterTests
{
    [Theory]
    [InlineData("", "")]
    [InlineData("1", "1")]
    [InlineData("1\n2", "1|2")]
    [InlineData("1\r\n\r\n \t\n{\"a\": 1}\n\n", "1|{\"a\": 1}")]
    [InlineData("\uFEFF1\n2\n", "1|2")]
    [InlineData("\"水門\"\nno JSON\n", "\"水門\"|no JSON")]
    public void Lines_are_items_and_empty_ones_are_not(string body, string items) => AssertCut(static () => new LineFraming(), body, items);

    [Theory]
    [InlineData("[]", "")]
    [InlineData(" \r\n[ \t] \n", "")]
    [InlineData("[1]", "1")]
    [InlineData("[1, 2 ,\n3]", "1|2|3")]
    [InlineData("\uFEFF[[1,2],{\"a\":[1,{\"b\":\"]}\"}]},[]]", "[1,2]|{\"a\":[1,{\"b\":\"]}\"}]}|[]")]
    [InlineData("[\"a,b]\",\"\\\"],[\\\\\",\"\\\\\\\"\"]", "\"a,b]\"|\"\\\"],[\\\\\"|\"\\\\\\\"\"")]
    [InlineData("[null,\"水門\"]", "null|\"水門\"")]
    [InlineData("[1 2,}]", "1 2|}")]
    [InlineData("[,1,]", "|1|")]
    public void Elements_of_an_array_are_items(string body, string items) => AssertCut(static () => new ArrayFraming(), body, items);

    [Theory]
    [InlineData("", "x[0]")]
    [InlineData("{}", "x[0]")]
    [InlineData("1", "x[0]")]
    [InlineData("[", "x[0]")]
    [InlineData("[1", "x[0]")]
    [InlineData("[1,", "x[1]")]
    [InlineData("[1]2", "x[1]")]
    [InlineData("[1][2]", "x[1]")]
    [InlineData("[\"]", "x[0]")]
    [InlineData("[{]", "x[0]")]
    public void A_body_that_is_not_an_array_is_malformed_wherever_it_is_split(string body, string place)
    {
        foreach (var cut in Cuts(body))
        {
            var error = Assert.Throws<BindingException>(() => Take(new ArrayFraming(), cut));
            Assert.Equal((place, "body", BindingErrorReason.Malformed), (error.Errors[0].Name, error.Errors[0].Source, error.Errors[0].Reason));
        }
    }

    [Fact]
    public void A_partial_byte_order_mark_is_malformed()
    {
        Assert.Throws<BindingException>(() => Take(new LineFraming(), [[0xEF, 0xBB]]));
        Assert.Throws<BindingException>(() => Take(new LineFraming(), [[0xEF], [(byte)'1']]));
    }

    [Theory]
    [InlineData("12345\n123456", 5, "x[1]")]
    [InlineData("1\n2\n      ", 5, "x[2]")]
    public void An_item_over_the_limit_is_rejected_and_named(string body, int limit, string place)
    {
        foreach (var cut in Cuts(body))
        {
            var error = Assert.Throws<PayloadTooLargeException>(() => Take(new LineFraming(), cut, limit));
            Assert.Contains($"{place} has more than {limit} bytes", error.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void An_item_that_came_in_one_piece_is_not_copied()
    {
        var bytes = "1\n23\n"u8.ToArray();
        using var splitter = new ItemSplitter(new LineFraming(), "x", 100);
        var sequence = new ReadOnlySequence<byte>(bytes);
        Assert.True(splitter.TryTake(ref sequence));
        Assert.True(splitter.TryTake(ref sequence));
        Assert.Equal(bytes.AsMemory(2, 2), splitter.Current);
        Assert.True(sequence.IsEmpty);
    }

    [Fact]
    public void Several_items_in_many_segments_are_returned_one_by_one()
    {
        var sequence = Segments("[", "1", ",", "", "22", ",\"", "\\", "\"", "\"", " ", "]");
        using var splitter = new ItemSplitter(new ArrayFraming(), "x", 100);
        var items = new List<string>();
        while (splitter.TryTake(ref sequence))
        {
            items.Add(Encoding.UTF8.GetString(splitter.Current.Span));
        }

        Assert.Equal(["1", "22", "\"\\\"\""], items);
        Assert.True(sequence.IsEmpty);
        Assert.False(splitter.TryEnd());
    }

    private static void AssertCut(Func<ItemFraming> framing, string body, string items)
    {
        foreach (var cut in Cuts(body))
        {
            Assert.Equal(items, string.Join('|', Take(framing(), cut)));
        }
    }

    // Whole, byte by byte, and at every place once.
    private static IEnumerable<byte[][]> Cuts(string body)
    {
        var bytes = Encoding.UTF8.GetBytes(body);
        yield return [bytes];
        yield return [.. bytes.Select(static one => new[] { one })];
        for (var i = 1; i < bytes.Length; i++)
        {
            yield return [bytes[..i], bytes[i..]];
        }
    }

    private static List<string> Take(ItemFraming framing, byte[][] pieces, int limit = 1000)
    {
        using var splitter = new ItemSplitter(framing, "x", limit);
        var items = new List<string>();
        foreach (var piece in pieces)
        {
            var sequence = new ReadOnlySequence<byte>(piece);
            while (splitter.TryTake(ref sequence))
            {
                items.Add(Encoding.UTF8.GetString(splitter.Current.Span));
            }
        }

        if (splitter.TryEnd())
        {
            items.Add(Encoding.UTF8.GetString(splitter.Current.Span));
        }

        return items;
    }

    private static ReadOnlySequence<byte> Segments(params string[] texts)
    {
        var first = new Segment(texts[0], null);
        var last = texts.Skip(1).Aggregate(first, static (before, text) => new Segment(text, before));
        return new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
    }

    private sealed class Segment : ReadOnlySequenceSegment<byte>
    {
        internal Segment(string text, Segment? before)
        {
            Memory = Encoding.UTF8.GetBytes(text);
            if (before is not null)
            {
                RunningIndex = before.RunningIndex + before.Memory.Length;
                before.Next = this;
            }
        }
    }
}
