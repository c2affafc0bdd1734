using Weir.Runtime;

namespace Weir.Tests.Contract;

/// <summary>Text that is repeated is one string.</summary>
public sealed class StringCacheTests
{
    [Fact]
    public void A_short_text_that_is_repeated_is_the_same_string() =>
        Assert.Same(Parse("Taipei"), Parse("Taipei"));

    [Fact]
    public void A_long_text_is_a_new_string()
    {
        var text = new string('x', 33);
        Assert.Equal(text, Parse(text));
        Assert.NotSame(Parse(text), Parse(text));
    }

    [Fact]
    public void Texts_that_hash_to_the_same_slot_are_not_confused()
    {
        for (var round = 0; round < 3; round++)
        {
            for (var i = 0; i < 1000; i++)
            {
                Assert.Equal($"text {i}", Parse($"text {i}"));
            }
        }
    }

    private static string Parse(string text)
    {
        Assert.True(Scalars.String.TryParse(text, out var value));
        return value;
    }
}
