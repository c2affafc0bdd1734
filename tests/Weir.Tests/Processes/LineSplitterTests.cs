using System.Text;
using Weir.Execution.Processes;

namespace Weir.Tests.Processes;

public class LineSplitterTests
{
    private readonly RecordedLines _recorded = new();
    private readonly LineSplitter _splitter;

    public LineSplitterTests() => _splitter = new LineSplitter(OutputStream.Error, _recorded);

    private IEnumerable<string> Texts => _recorded.Lines.Select(line => line.Text);

    [Fact]
    public void Lines_of_one_chunk_are_returned_one_by_one()
    {
        Feed("one\ntwo\r\n\nfour\n");
        Assert.Equal(["one", "two", "", "four"], Texts);
        Assert.All(_recorded.Lines, line => Assert.Equal(OutputStream.Error, line.Stream));
    }

    [Fact]
    public void A_text_split_at_every_byte_gives_the_same_lines()
    {
        const string Text = "alpha\nβeta\r\n\nrest";
        var bytes = Encoding.UTF8.GetBytes(Text);
        for (var at = 0; at <= bytes.Length; at++)
        {
            _recorded.Lines.Clear();
            _splitter.Feed(bytes.AsSpan(0, at));
            _splitter.Feed(bytes.AsSpan(at));
            _splitter.Finish();
            Assert.Equal(["alpha", "βeta", "", "rest"], Texts);
        }
    }

    [Theory]
    [InlineData(8192, false)]
    [InlineData(8193, true)]
    [InlineData(100_000, true)]
    public void A_line_is_cut_only_above_the_limit(int length, bool cut)
    {
        foreach (var chunk in new[] { 1, 7, 4096, 200_000 })
        {
            _recorded.Lines.Clear();
            FeedInChunks(new string('x', length) + "\nnext\n", chunk);
            Assert.Equal([(Math.Min(length, LineSplitter.MaxLineBytes), cut), (4, false)], _recorded.Lines.Select(line => (line.Text.Length, line.Cut)));
        }
    }

    [Fact]
    public void A_line_without_an_end_is_read_before_it_ends()
    {
        Feed(new string('x', 10_000));
        var line = Assert.Single(_recorded.Lines);
        Assert.True(line.Cut);
        _splitter.Finish();
        Assert.Single(_recorded.Lines);
    }

    private void Feed(string text) => _splitter.Feed(Encoding.UTF8.GetBytes(text));

    private void FeedInChunks(string text, int size)
    {
        for (var at = 0; at < text.Length; at += size)
        {
            Feed(text.Substring(at, Math.Min(size, text.Length - at)));
        }
    }
}
