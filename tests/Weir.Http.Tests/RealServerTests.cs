using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Weir.Http.Tests;

/// <summary>Against Kestrel, over sockets.</summary>
public sealed class RealServerTests : IAsyncLifetime
{
    private readonly SemaphoreSlim _arrived = new(0);
    private readonly SemaphoreSlim _left = new(0);
    private WebApplication _server = null!;
    private int _inFlight;
    private int _most;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    private Uri Address => new(_server.Urls.Single());

    public async ValueTask InitializeAsync()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Logging.ClearProviders();
        _server = builder.Build();
        _server.MapGet("/square/{n:int}", async (int n, CancellationToken left) =>
        {
            var now = Interlocked.Increment(ref _inFlight);
            lock (_arrived)
            {
                _most = Math.Max(_most, now);
            }

            await Task.Delay(TimeSpan.FromMilliseconds(1), TimeProvider.System, left);
            Interlocked.Decrement(ref _inFlight);
            return Results.Text((n * n).ToString(CultureInfo.InvariantCulture));
        });
        _server.MapGet("/never", async context =>
        {
            await context.Response.StartAsync(Cancel);
            _arrived.Release();
            var left = new TaskCompletionSource();
            await using var registration = context.RequestAborted.Register(left.SetResult);
            await left.Task;
            _left.Release();
        });
        await _server.StartAsync(Cancel);
    }

    public async ValueTask DisposeAsync() => await _server.DisposeAsync();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Thousand_requests_have_their_own_responses_within_the_bound(bool isHandler)
    {
        var services = new ServiceCollection();
        var clients = services.AddHttpClient("squares", client => client.BaseAddress = Address);
        if (isHandler)
        {
            clients.AddFanOutLimits(limits => limits.MaxConcurrency = 16);
        }

        await using var provider = services.BuildServiceProvider();
        var client = provider.GetRequiredService<IHttpClientFactory>().CreateClient("squares");
        var seen = new HashSet<long>();
        var addresses = Enumerable.Range(0, 1_000).Select(static n => new Uri($"/square/{n}", UriKind.Relative));
        await foreach (var result in client.SendAllAsync(addresses, new FanOutOptions { MaxConcurrency = isHandler ? 100 : 16 }, Cancel))
        {
            using (result)
            {
                Assert.Equal((result.Index * result.Index).ToString(CultureInfo.InvariantCulture), await result.Response!.Content.ReadAsStringAsync(Cancel));
                Assert.True(seen.Add(result.Index));
            }
        }

        Assert.Equal(1_000, seen.Count);
        Assert.InRange(_most, 1, 16);
    }

    [Fact]
    public async Task Blocking_code_is_limited_too()
    {
        var services = new ServiceCollection();
        services.AddHttpClient("squares", client => client.BaseAddress = Address).AddFanOutLimits(limits => limits.MaxConcurrency = 2);
        await using var provider = services.BuildServiceProvider();
        var client = provider.GetRequiredService<IHttpClientFactory>().CreateClient("squares");
        var threads = Enumerable.Range(0, 8).Select(n => Task.Factory.StartNew(
            () =>
            {
                using var request = new HttpRequestMessage(HttpMethod.Get, $"/square/{n}");
                using var response = client.Send(request, Cancel);
                using var reader = new StreamReader(response.Content.ReadAsStream(Cancel));
                return reader.ReadToEnd();
            },
            Cancel,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default));
        Assert.Equal(["0", "1", "4", "9", "16", "25", "36", "49"], await Task.WhenAll(threads));
        Assert.InRange(_most, 1, 2);
    }

    [Fact]
    public async Task Cancelling_ends_every_request_at_the_server()
    {
        using var client = new HttpClient { BaseAddress = Address };
        using var stop = new CancellationTokenSource();
        var results = client.SendAllAsync(Enumerable.Repeat(new Uri("/never", UriKind.Relative), 50), cancellationToken: stop.Token).GetAsyncEnumerator(Cancel);
        var next = results.MoveNextAsync();
        await WaitAsync(_arrived, 50);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await next);
        await results.DisposeAsync();
        await WaitAsync(_left, 50);
    }

    private static async Task WaitAsync(SemaphoreSlim semaphore, int count)
    {
        for (var i = 0; i < count; i++)
        {
            Assert.True(await semaphore.WaitAsync(TimeSpan.FromSeconds(20), Cancel), $"{i} of {count}");
        }
    }
}
