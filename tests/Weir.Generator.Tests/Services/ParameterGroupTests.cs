using Weir.Generator.Tests.Driving;
using Xunit;

namespace Weir.Generator.Tests.Services;

/// <summary>Parameters marked [AsParameters].</summary>
public sealed class ParameterGroupTests
{
    private static readonly Served Served = Served.From(
        """
        using Microsoft.AspNetCore.Http;
        using Microsoft.AspNetCore.Mvc;
        using Weir;
        namespace Sample;

        public sealed record Search([FromQuery(Name = "q")] string Text, int[] Pages, OperationContext Context, int Size = 10);
        public sealed record Order(string Item);

        public class Paging
        {
            public int Size { get; set; } = 10;
            public Sort Sort { get; init; } = Sort.Down;
        }

        public enum Sort { Up, Down }

        public sealed class Filter : Paging
        {
            [FromQuery(Name = "q")] public required string Text { get; set; }
            public int[] Pages { get; set; } = [1];
            public System.DateOnly Day { get; set; } = System.DateOnly.MinValue;
            public string? Owner { get; set; }
            public int Limit { get; set; }
            public int? Most { get; set; } = null;
            public OperationContext Context { get; set; } = null!;
            public int Sum => Size + Limit;
        }

        public sealed class Application
        {
            public required string Name { get; init; }
            public int[] Years { get; init; } = [];
            public IFormFile? Letter { get; init; }
            [FromQuery] public int Page { get; init; } = 1;
        }

        [Service] public sealed class All
        {
            public string Apply([FromForm] Application application) => $"{application.Name} {application.Years.Length} {application.Letter?.FileName} {application.Page}";


            public string Select([AsParameters] Filter filter, int last) =>
                $"{filter.Text} {string.Join('+', filter.Pages)} {filter.Day:O} {filter.Owner ?? "none"} {filter.Limit} {filter.Context.Operation.Name} {filter.Size} {filter.Sort} {last}";


            public string Find([AsParameters] Search search, Order order, int last) =>
                $"{search.Text} {string.Join('+', search.Pages)} {search.Context.Operation.Name} {search.Size} {order.Item} {last}";
        }
        """);

    [Fact]
    public async Task What_the_constructor_takes_is_bound_one_by_one()
    {
        Assert.Equal(
            ["Text q Query False", "Pages Pages Value True", "Size Size Value True", "order order Body False", "last last Value False"],
            Served.Operation("All/Find").Parameters.Select(static one => $"{one.Name} {one.WireName} {one.Source} {one.IsOptional}"));
        var bound = Served.Json("All/Find", """{"Text":"a","pages":[1,2],"order":{"item":"tea"},"last":3}""").Good();
        Assert.Equal("\"a 1+2 Find 10 tea 3\"", Served.Result(await Served.Run(bound)));
        Assert.Equal(["last: missing", "order: missing", "q: missing"], Served.Query("All/Find").Reasons.Order());
    }

    [Fact]
    public async Task Properties_that_can_be_set_are_bound_one_by_one_where_the_constructor_takes_nothing()
    {
        Assert.Equal(
            ["Text q Query False", "Pages Pages Value True", "Day Day Value True", "Owner Owner Value True", "Limit Limit Value False", "Most Most Value True", "Size Size Value True", "Sort Sort Value True", "last last Value False"],
            Served.Operation("All/Select").Parameters.Select(static one => $"{one.Name} {one.WireName} {one.Source} {one.IsOptional}"));
        var bound = Served.Query("All/Select", ("text", "a"), ("pages", "2"), ("pages", "3"), ("day", "2026-01-31"), ("owner", "b"), ("limit", "4"), ("size", "5"), ("sort", "Up"), ("last", "6")).Good();
        Assert.Equal("\"a 2+3 2026-01-31 b 4 Select 5 Up 6\"", Served.Result(await Served.Run(bound)));
    }

    [Fact]
    public void The_members_of_an_object_marked_as_a_form_come_from_the_form_unless_they_say_otherwise() => Assert.Equal(
        ["Name Form False", "Years Form True", "Letter File True", "Page Query True"],
        Served.Operation("All/Apply").Parameters.Select(static one => $"{one.Name} {one.Source} {one.IsOptional}"));

    [Fact]
    public async Task A_property_that_is_absent_keeps_its_initialiser()
    {
        var bound = Served.Query("All/Select", ("text", "a"), ("limit", "4"), ("last", "6")).Good();
        Assert.Equal("\"a 1 0001-01-01 none 4 Select 10 Down 6\"", Served.Result(await Served.Run(bound)));
        Assert.Equal(["Limit: missing", "last: missing", "q: missing"], Served.Query("All/Select").Reasons.Order(StringComparer.Ordinal));
    }
}
