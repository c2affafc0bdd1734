using Weir.Cli.Load;
using Weir.Cli.Terminal;

namespace Weir.Cli.Tests.Load;

/// <summary>Bounds that a test must keep.</summary>
public class AssertionTests
{
    [Theory]
    [InlineData("p99<50ms", null)]
    [InlineData("p99<12.1ms", null)]
    [InlineData("p99<12ms", "p99 is 12.0 ms, 0.00 ms above 12.0 ms")]
    [InlineData("p99 <= 12ms", null)]
    [InlineData("p99<10ms", "p99 is 12.0 ms, 2.00 ms above 10.0 ms")]
    [InlineData("p50<5ms,p90<7ms", null)]
    [InlineData("p999<0.02s", "p999 is 24.0 ms, 4.00 ms above 20.0 ms")]
    [InlineData("max<48001us", null)]
    [InlineData("errors=3", null)]
    [InlineData("errors=0", "errors is 3, 3 above 0")]
    [InlineData("errors<0.3%", "errors is 0.3%, 0% above 0.3%")]
    [InlineData("errors<=0.3%", null)]
    [InlineData("rate>=500", "rate is 498.5 requests/s, 1.5 requests/s below 500 requests/s")]
    [InlineData("rate>400", null)]
    public void A_bound_holds_or_says_by_how_much_it_does_not(string text, string? reason)
    {
        var report = Reports.Of(errors: 3);
        Assert.Equal(reason, Assertion.ParseAll([text]).Select(assertion => assertion.Refute(report)).OfType<string>().SingleOrDefault());
    }

    [Fact]
    public void A_time_of_no_request_keeps_no_bound() =>
        Assert.Equal("no request was answered", Assertion.ParseAll(["p99<50ms"]).Single().Refute(Reports.Of(requests: 0)));

    [Theory]
    [InlineData("")]
    [InlineData("p99")]
    [InlineData("p99<")]
    [InlineData("p99<50")]
    [InlineData("p98<50ms")]
    [InlineData("p99<-1ms")]
    [InlineData("p99<50ms,")]
    [InlineData("errors<many")]
    [InlineData("rate>10%")]
    [InlineData("<50ms")]
    public void What_cannot_be_read_is_refused(string text) =>
        Assert.StartsWith("--assert is '", Assert.Throws<InputException>(() => Assertion.ParseAll([text]).ToArray()).Message, StringComparison.Ordinal);
}
