using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Cors;

namespace Weir.IntegrationTests.Services;

/// <summary>Operations at routes of their own.</summary>
[Service(Route = "/shops/{shop}/orders")]
public sealed class RoutedOrders
{
    [Get("")] public string List(string shop, int top = 10) => $"list {shop} {top}";

    [Get("{id:int}")] public string Find(string shop, int id) => $"find {shop} {id}";

    [Put("{number:int}"), EnableCors("site")] public string Change(string shop, int number, string? note = null) => $"change {shop} {number} {note}";

    [Delete("{id:int}"), Authorize] public string Remove(string shop, int id) => $"remove {shop} {id}";

    [Get("{id:int}/lines/{line?}")]
    public async IAsyncEnumerable<string> Lines(string shop, int id, int? line = null)
    {
        await Task.Yield();
        yield return $"line {shop} {id} {line}";
    }

    [Post] public string Place(string shop, RoutedOrder order) => $"place {shop} {order.Item} {order.Count}";

    [Get("count")] public string Count(string shop) => $"count {shop}";

    [Post("{name}")] public string Named(string shop, string name) => $"named {shop} {name}";

    [Get("/routed-files/{**path}")] public string File(string path) => $"file {path}";

    [Get("/routed-at/{day}"), Isolated(Kinds.Pool)] public string At(DateOnly day, DayOfWeek weekday = DayOfWeek.Monday) => $"at {day:yyyy-MM-dd} {weekday}";

    [Get("/routed-either"), Post("/routed-or/{x}")] public string Either(int x) => $"either {x}";
}

/// <summary>What is placed.</summary>
/// <param name="Item">What.</param>
/// <param name="Count">How many.</param>
public sealed record RoutedOrder(string Item, int Count);
