using System.Runtime.CompilerServices;
using Shop.Contracts;
using Weir;

namespace Shop.Server;

/// <summary>Serves the contract. Routes, verbs and declared exceptions are read from it.</summary>
[Service]
public sealed class Orders(OrderBook book) : IOrders
{
    public ValueTask<Order> Find(int id, CancellationToken ct = default) =>
        new(book.Find(id) ?? throw new OrderNotFoundException($"There is no order {id}."));

    public async IAsyncEnumerable<Order> All([EnumeratorCancellation] CancellationToken ct = default)
    {
        foreach (var order in book.All())
        {
            await Task.Yield();
            ct.ThrowIfCancellationRequested();
            yield return order;
        }
    }

    public ValueTask<Order> Place(NewOrder order, CancellationToken ct = default) => new(book.Add(order));
}
