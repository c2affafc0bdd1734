using Shop.Contracts;
using Shop.Server;

var builder = WebApplication.CreateBuilder(args);
builder.Services.AddSingleton<OrderBook>();
builder.Services.AddWeir();

var app = builder.Build();
app.MapWeir();

// A caller inside the process: it takes the contract, and calls the same operation that HTTP serves.
app.MapGet("/turnover", async (IOrders orders, CancellationToken ct) =>
{
    var sum = 0m;
    await foreach (var order in orders.All(ct))
    {
        sum += order.Total;
    }

    return sum;
});
app.Run();
