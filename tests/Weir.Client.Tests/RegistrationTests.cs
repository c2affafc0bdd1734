using Microsoft.Extensions.DependencyInjection;
using Weir.Client.Tests.Services;

namespace Weir.Client.Tests;

/// <summary>Clients with and without a container.</summary>
public sealed class RegistrationTests(ClientHost host) : IClassFixture<ClientHost>
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_container_makes_clients_over_its_own_HttpClient()
    {
        var services = new ServiceCollection();
        services.AddWeirClient<IValues>(client => client.BaseAddress = host.Address).AddStandardResilienceHandler();
        await using var provider = services.BuildServiceProvider();
        Assert.Equal("a", await provider.GetRequiredService<IValues>().MaybeText("a", Cancel));
    }

    [Fact]
    public async Task Handlers_of_the_builder_see_every_request()
    {
        var counting = new Counting();
        var services = new ServiceCollection();
        services.AddWeirClient<IStreams>(client => client.BaseAddress = host.Address, static options => options.Deadline = TimeSpan.FromMinutes(1)).AddHttpMessageHandler(() => counting);
        await using var provider = services.BuildServiceProvider();
        var streams = provider.GetRequiredService<IStreams>();
        Assert.InRange(await streams.Remaining(Cancel), 50_000, 60_000);
        Assert.Equal([0, 1], await streams.Count(2, ct: Cancel).ToListAsync(Cancel));
        Assert.Equal(2, counting.Requests);
    }

    [Fact]
    public void A_client_without_an_address_is_refused()
    {
        using var http = new HttpClient();
        Assert.Contains("BaseAddress", Assert.Throws<InvalidOperationException>(() => WeirClient.Create<IValues>(http)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_type_without_a_client_is_refused()
    {
        var error = Assert.Throws<InvalidOperationException>(Create<IDisposable>);
        Assert.Contains(WeirCodes.ClientMissing, error.Message, StringComparison.Ordinal);

        // The build refuses it where it sees the type.
        T Create<T>()
            where T : class => WeirClient.Create<T>(host.Http);
    }

    private sealed class Counting : DelegatingHandler
    {
        internal int Requests { get; private set; }

        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            Requests++;
            return base.SendAsync(request, cancellationToken);
        }
    }
}
