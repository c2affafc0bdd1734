using Microsoft.Extensions.DependencyInjection;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>The lane without a web server: blocking calls through the typed client.</summary>
internal sealed class WeirSleepers : IAsyncDisposable
{
    private readonly ServiceProvider _services;
    private readonly ISleeperClient _client;

    public WeirSleepers()
    {
        _services = new ServiceCollection().AddLogging().AddWeir(weir => WeirPools.Configure(weir, "", 0)).BuildServiceProvider();
        _services.GetRequiredService<WeirRuntime>().Start();
        _client = _services.GetRequiredService<ISleeperClient>();
    }

    public Task<string> RunAsync(int milliseconds) => _client.Bio(milliseconds).AsTask();

    public ValueTask DisposeAsync() => _services.DisposeAsync();
}
