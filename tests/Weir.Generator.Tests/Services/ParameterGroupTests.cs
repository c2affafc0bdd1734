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

        [Service] public sealed class All
        {
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
}
