namespace Weir.Jobs.Tests.Http;

/// <summary>The application of all tests that change nothing in it but jobs of their own.</summary>
public sealed class SharedHost : IAsyncLifetime
{
    internal HttpHost Host { get; private set; } = null!;

    public async ValueTask InitializeAsync() => Host = await HttpHost.StartAsync();

    public ValueTask DisposeAsync() => Host.DisposeAsync();
}
