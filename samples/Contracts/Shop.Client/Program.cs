using Shop.Contracts;
using Weir;

// A caller in another process, on another version of .NET: it has the contract, and no code of the server.
using var http = new HttpClient { BaseAddress = new Uri(args.Length > 0 ? args[0] : "http://localhost:5000") };
var orders = WeirClient.Create<IOrders>(http);

var placed = await orders.Place(new NewOrder { Article = "ink", Count = 2 });
Console.WriteLine($"placed {placed.Id}: {placed.Count} x {placed.Article} for {placed.Total}");
await foreach (var order in orders.All())
{
    Console.WriteLine($"order {order.Id}: {order.Article}");
}

try
{
    await orders.Find(99);
}
catch (OrderNotFoundException error)
{
    Console.WriteLine(error.Message);
}
