using Microsoft.Extensions.Primitives;
using Weir.AspNetCore.Http;

namespace Weir.Tests.AspNetCore;

/// <summary>Lists in headers, as RFC 9110 §5.6.1 has them.</summary>
public sealed class HeaderListTests
{
    [Theory]
    [InlineData("a", "a")]
    [InlineData("a,b", "a|b")]
    [InlineData(" a ,\tb\t", "a|b")]
    [InlineData("a b , c", "a b|c")]
    [InlineData(",a,,b,", "a|b")]
    [InlineData("", "")]
    [InlineData(" , ,", "")]
    [InlineData("\"\"", "")]
    [InlineData("a,\"\"", "a|")]
    [InlineData("\"a,b\",c", "a,b|c")]
    [InlineData("\" a \"", " a ")]
    [InlineData("\"\\\"a\",\"b\\\"\"", "\"a|b\"")]
    [InlineData("\"a\\\\\"", "a\\")]
    [InlineData("W/\"1,2\", \"3\"", "W/\"1,2\"|3")]
    [InlineData("\"a\"b", "\"a\"b")]
    [InlineData("a;x=\"1,2\",b", "a;x=\"1,2\"|b")]
    public void Elements_are_between_commas_and_a_quoted_string_is_its_content(string value, string expected)
    {
        Assert.True(HeaderList.TryRead(value, out var elements));
        Assert.Equal(value is "\"\"" ? [""] : expected.Length == 0 ? [] : expected.Split('|'), Texts(elements));
    }

    [Fact]
    public void Several_headers_are_one_list()
    {
        Assert.True(HeaderList.TryRead(new StringValues(["a, b", "", "c"]), out var elements));
        Assert.Equal(["a", "b", "c"], Texts(elements));
        Assert.True(HeaderList.TryRead(default, out elements));
        Assert.Empty(Texts(elements));
    }

    [Theory]
    [InlineData("\"")]
    [InlineData("\"a")]
    [InlineData("a,\"b,c")]
    [InlineData("\"a\\\"")]
    public void A_quoted_string_without_an_end_is_refused(string value) => Assert.False(HeaderList.TryRead(value, out _));

    private static string[] Texts(StringValues elements) => [.. elements.Select(static one => one!)];
}
