using Shop.Contracts;

namespace Shop.Server;

/// <summary>The orders of this process. May be used concurrently.</summary>
public sealed class OrderBook
{
    private readonly Lock _lock = new();
    private readonly List<Order> _orders = [new Order { Id = 1, Article = "pencil", Count = 12, Total = 18 }];

    public Order? Find(int id)
    {
        lock (_lock)
        {
            return id >= 1 && id <= _orders.Count ? _orders[id - 1] : null;
        }
    }

    public Order[] All()
    {
        lock (_lock)
        {
            return [.. _orders];
        }
    }

    public Order Add(NewOrder order)
    {
        lock (_lock)
        {
            var added = new Order { Id = _orders.Count + 1, Article = order.Article, Count = order.Count, Total = order.Count * 1.5m };
            _orders.Add(added);
            return added;
        }
    }
}
