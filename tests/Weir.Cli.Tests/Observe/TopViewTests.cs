using Weir.Cli.Observe;

namespace Weir.Cli.Tests.Observe;

/// <summary>What the keys of <c>weir top</c> do.</summary>
public sealed class TopViewTests
{
    [Theory]
    [InlineData("", "ps")]
    [InlineData("1", "ps")]
    [InlineData("2", "ps?view=pools&sort=default")]
    [InlineData("3", "ps?view=calls&sort=default")]
    [InlineData("4", "ps?view=operations&sort=default")]
    [InlineData("5", "ps?view=jobs&sort=default")]
    [InlineData("s", "ps?view=all&sort=calls")]
    [InlineData("4ss", "ps?view=operations&sort=p95")]
    [InlineData("4sss", "ps?view=operations&sort=failed")]
    [InlineData("4ssss", "ps?view=operations&sort=default")]
    [InlineData("ss31", "ps?view=all&sort=p95")]
    [InlineData("06xZ\u001b", "ps")]
    public void Keys_choose_the_view_and_the_order(string keys, string request) => Assert.Equal(request, Press(keys).Request);

    [Theory]
    [InlineData("", false)]
    [InlineData("p", true)]
    [InlineData("pp", false)]
    [InlineData("p2s?", true)]
    public void P_freezes_and_continues(string keys, bool isFrozen) => Assert.Equal(isFrozen, Press(keys).IsFrozen);

    [Fact]
    public void A_question_mark_lists_every_key_and_once_more_hides_them()
    {
        Assert.Empty(Press("").Notes());
        Assert.Equal([TopView.Keys], Press("?").Notes());
        Assert.Empty(Press("??").Notes());
        Assert.All("12345sp?q", static key => Assert.Contains($"{key} ", TopView.Keys, StringComparison.Ordinal));
    }

    [Fact]
    public void What_differs_from_the_start_is_said() =>
        Assert.Equal(["Frozen: p continues, q ends.", "operations, by failed. ? lists the keys."], Press("4sssp").Notes());

    [Fact]
    public void A_key_without_a_meaning_changes_nothing()
    {
        var view = Press("4s");
        Assert.Same(view, view.Press('x'));
    }

    private static TopView Press(string keys) => keys.Aggregate(new TopView(), static (view, key) => view.Press(key));
}
