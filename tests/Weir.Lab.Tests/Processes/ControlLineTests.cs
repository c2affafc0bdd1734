using Weir.Lab.Isolation;

namespace Weir.Lab.Tests.Processes;

public sealed class ControlLineTests
{
    [Fact]
    public void A_line_comes_back_as_it_was()
    {
        var line = new ControlLine("run").With("path", "/a b?x=1&y=ä").With("count", 12_345).With("rate", 0.1);
        var back = ControlLine.Parse(line.ToString())!;
        Assert.Equal("run", back.Verb);
        Assert.Equal("/a b?x=1&y=ä", back["path"]);
        Assert.Equal(12_345, back.Int("count"));
        Assert.Equal(0.1, back.Number("rate"));
        Assert.DoesNotContain('\n', line.ToString());
    }

    [Theory]
    [InlineData("")]
    [InlineData("@")]
    [InlineData("* Process [PID: 12] started")]
    public void Other_output_is_no_line(string text) => Assert.Null(ControlLine.Parse(text));

    [Fact]
    public void What_is_missing_is_named() =>
        Assert.Contains("'count'", Assert.Throws<KeyNotFoundException>(() => new ControlLine("run").Int("count")).Message, StringComparison.Ordinal);

    [Fact]
    public void A_copy_changes_alone()
    {
        var line = new ControlLine("run").With("count", 1);
        var copy = line.Copy().With("count", 2);
        Assert.Equal((1, 2, "run"), (line.Int("count"), copy.Int("count"), copy.Verb));
    }
}
