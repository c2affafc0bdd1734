using Weir.Generator.Parsing.Services;
using Xunit;

namespace Weir.Generator.Tests.Services;

/// <summary>Which time zones a build refuses: never one that another machine may know and this one cannot.</summary>
public sealed class TimeZoneRulesTests
{
    private static readonly string[] OfDatabase = ["Europe/Berlin", "Japan"];
    private static readonly string[] OfBoth = ["Europe/Berlin", "Japan", "W. Europe Standard Time"];

    [Theory]
    [InlineData("UTC")]
    [InlineData("Europe/Belin")]
    [InlineData("Berlin")]
    [InlineData("W. Europa Standard Time")]
    public void A_machine_without_zones_refuses_none(string id)
    {
        Assert.Null(TimeZoneRules.Wrong(id, static _ => false));
        Assert.Null(TimeZoneRules.Wrong(id, static one => one is "W. Europe Standard Time"));
    }

    [Theory]
    [InlineData("Europe/Berlin", false)]
    [InlineData("Japan", false)]
    [InlineData("Europe/Belin", true)]
    [InlineData("Berlin", false)]
    [InlineData("W. Europe Standard Time", false)]
    public void A_machine_that_knows_no_names_of_Windows_refuses_only_ids_of_the_database(string id, bool isRefused) =>
        Assert.Equal(isRefused, TimeZoneRules.Wrong(id, OfDatabase.Contains) is not null);

    [Theory]
    [InlineData("UTC", false)]
    [InlineData("Europe/Berlin", false)]
    [InlineData("W. Europe Standard Time", false)]
    [InlineData("Europe/Belin", true)]
    [InlineData("Berlin", true)]
    [InlineData("W. Europa Standard Time", true)]
    public void A_machine_that_knows_both_refuses_what_it_does_not_know(string id, bool isRefused) =>
        Assert.Equal(isRefused, TimeZoneRules.Wrong(id, OfBoth.Contains) is not null);

    [Fact]
    public void An_id_that_is_missing_is_refused_everywhere()
    {
        Assert.Equal("TimeZone is null; write an id such as \"Europe/Berlin\", or remove TimeZone for UTC", TimeZoneRules.Wrong(null, static _ => false));
        Assert.Equal("TimeZone is empty; write an id such as \"Europe/Berlin\", or remove TimeZone for UTC", TimeZoneRules.Wrong(" ", static _ => false));
    }
}
