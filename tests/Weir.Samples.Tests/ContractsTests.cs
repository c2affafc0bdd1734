using System.Diagnostics;
using System.Net;
using System.Net.Http.Json;
using System.Reflection;
using System.Text.Json;
using Microsoft.AspNetCore.Mvc.Testing;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.DependencyInjection;
using Shop.Contracts;
using Shop.Server;

namespace Weir.Samples.Tests;

public sealed class ContractsTests : IAsyncLifetime
{
    private readonly WebApplicationFactory<OrderBook> _application = new();

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public ValueTask InitializeAsync() => default;

    public ValueTask DisposeAsync() => _application.DisposeAsync();

    [Fact]
    public async Task Orders_are_placed_found_and_streamed()
    {
        using var client = _application.CreateClient();
        using var placed = await client.PostAsJsonAsync(new Uri("/orders", UriKind.Relative), new NewOrder { Article = "ink", Count = 2 }, Cancel);
        Assert.Equal(HttpStatusCode.OK, placed.StatusCode);

        Assert.Equal("""{"id":2,"article":"ink","count":2,"total":3.0}""", await client.GetStringAsync(new Uri("/orders/2", UriKind.Relative), Cancel));
        Assert.Equal([1, 2], (await client.GetFromJsonAsync<Order[]>(new Uri("/orders", UriKind.Relative), Cancel))!.Select(static one => one.Id));
    }

    [Fact]
    public async Task A_declared_exception_is_a_problem_with_its_status_over_HTTP_and_itself_in_code()
    {
        using var client = _application.CreateClient();
        using var response = await client.GetAsync(new Uri("/orders/99", UriKind.Relative), Cancel);
        Assert.Equal(HttpStatusCode.NotFound, response.StatusCode);
        using var problem = JsonDocument.Parse(await response.Content.ReadAsStringAsync(Cancel));
        Assert.Equal(404, problem.RootElement.GetProperty("status").GetInt32());

        var orders = _application.Services.GetRequiredService<IOrders>();
        await Assert.ThrowsAsync<OrderNotFoundException>(async () => await orders.Find(99, Cancel));
    }

    [Fact]
    public async Task A_generated_client_calls_through_the_test_server()
    {
        using var client = _application.CreateClient();
        var orders = WeirClient.Create<IOrders>(client);

        Assert.Equal("pencil", (await orders.Find(1, Cancel)).Article);
        await Assert.ThrowsAsync<OrderNotFoundException>(async () => await orders.Find(99, Cancel));
    }

    [Fact]
    public async Task Code_in_the_process_calls_the_operation_that_HTTP_serves()
    {
        using var client = _application.CreateClient();
        Assert.Equal("18", await client.GetStringAsync(new Uri("/turnover", UriKind.Relative), Cancel));
    }

    [Fact]
    public async Task A_caller_in_another_process_and_for_an_older_framework_has_the_contract_only()
    {
        await using var served = new WebApplicationFactory<OrderBook>();
        served.UseKestrel(0);
        using var client = served.CreateClient();
        var program = typeof(ContractsTests).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>().Single(static one => one.Key == "ShopClient").Value!;
        using var caller = Process.Start(new ProcessStartInfo("dotnet", [program, client.BaseAddress!.ToString()]) { RedirectStandardOutput = true })!;
        var output = await caller.StandardOutput.ReadToEndAsync(Cancel);
        await caller.WaitForExitAsync(Cancel);

        Assert.Equal("placed 2: 2 x ink for 3.0\norder 1: pencil\norder 2: ink\nThere is no order 99.\n", output);
        Assert.Equal(0, caller.ExitCode);
    }

    [Fact]
    public async Task A_fake_of_the_contract_is_what_HTTP_and_code_call()
    {
        await using var faked = _application.WithWebHostBuilder(static host => host.ConfigureTestServices(static services => services.AddScoped<IOrders, FakeOrders>()));
        using var client = faked.CreateClient();

        Assert.Equal("""{"id":7,"article":"fake","count":0,"total":5}""", await client.GetStringAsync(new Uri("/orders/7", UriKind.Relative), Cancel));
        Assert.Equal("10", await client.GetStringAsync(new Uri("/turnover", UriKind.Relative), Cancel));
    }

    private sealed class FakeOrders : IOrders
    {
        public ValueTask<Order> Find(int id, CancellationToken ct = default) => new(new Order { Id = id, Article = "fake", Total = 5 });

        public async IAsyncEnumerable<Order> All([System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken ct = default)
        {
            yield return await Find(1, ct);
            yield return await Find(2, ct);
        }

        public ValueTask<Order> Place(NewOrder order, CancellationToken ct = default) => Find(1, ct);
    }
}
