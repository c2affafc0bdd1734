using Weir;

namespace Shop.Contracts;

/// <summary>The orders of the shop. A caller references this assembly and not the server.</summary>
[Service(Route = "/orders")]
public interface IOrders
{
    [Get("{id:int}")]
    [Throws(typeof(OrderNotFoundException), Status = 404)]
    ValueTask<Order> Find(int id, CancellationToken ct = default);

    [Get("")]
    IAsyncEnumerable<Order> All(CancellationToken ct = default);

    [Post("")]
    ValueTask<Order> Place(NewOrder order, CancellationToken ct = default);
}
