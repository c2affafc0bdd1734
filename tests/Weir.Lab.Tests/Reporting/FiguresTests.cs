using Weir.Lab.Reporting;

namespace Weir.Lab.Tests.Reporting;

public sealed class FiguresTests
{
    [Theory]
    [InlineData(0, "0")]
    [InlineData(0.0123, "0.0123")]
    [InlineData(0.5, "0.50")]
    [InlineData(7, "7")]
    [InlineData(12.34, "12.3")]
    [InlineData(123.4, "123")]
    [InlineData(1234.5, "1,235")]
    [InlineData(123456, "123,500")]
    [InlineData(9876543, "9,877,000")]
    [InlineData(double.PositiveInfinity, "–")]
    public void A_number_has_the_digits_that_count(double value, string text) => Assert.Equal(text, Figures.Text(value));

    [Fact]
    public void A_spread_is_shown_where_there_is_one()
    {
        Assert.Equal("5", Figures.WithSpread(5, 5, 5));
        Assert.Equal("5.50 (4–6)", Figures.WithSpread(5.5, 4, 6));
    }
}
