using System.Globalization;
using System.Net;
using Microsoft.AspNetCore.Mvc.Testing;

namespace Weir.Samples.Tests;

public sealed class QuickstartTests : IAsyncLifetime
{
    private readonly WebApplicationFactory<Greeter> _application = new();

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public ValueTask InitializeAsync()
    {
        _application.UseKestrel(0);
        return default;
    }

    public ValueTask DisposeAsync() => _application.DisposeAsync();

    [Fact]
    public async Task It_greets_streams_and_runs_blocking_code()
    {
        using var client = _application.CreateClient();
        Assert.Equal("Hello, Ada", await client.GetStringAsync(new Uri("/Greeter/Hello?name=Ada", UriKind.Relative), Cancel));
        Assert.Equal("1\n2\n", await client.GetStringAsync(new Uri("/Greeter/Count.ndjson?to=2", UriKind.Relative), Cancel));
        Assert.Equal("done", await client.GetStringAsync(new Uri("/Greeter/Legacy?ms=1", UriKind.Relative), Cancel));
    }

    [Fact]
    public async Task A_crash_ends_its_worker_and_the_next_call_runs_in_another_one()
    {
        using var client = _application.CreateClient();
        var first = await WorkerAsync(client);
        using var crashed = await client.PostAsync(new Uri("/Greeter/Crash", UriKind.Relative), null, Cancel);
        Assert.Equal(HttpStatusCode.BadGateway, crashed.StatusCode);

        var second = await WorkerAsync(client);
        Assert.Equal(3, new[] { Environment.ProcessId, first, second }.Distinct().Count());
    }

    private static async Task<int> WorkerAsync(HttpClient client) =>
        int.Parse(await client.GetStringAsync(new Uri("/Greeter/WhoAmI", UriKind.Relative), Cancel), CultureInfo.InvariantCulture);
}
