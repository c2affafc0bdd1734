using Xunit;

namespace Weir.IntegrationTests.Showcase;

/// <summary>One showcase for all tests that leave it as they found it.</summary>
public sealed class RunningShowcase : IAsyncLifetime
{
    private ShowcaseProcess? _process;

    internal ShowcaseProcess Process => _process!;

    internal HttpClient Client => Process.Client;

    public async ValueTask InitializeAsync() => _process = await ShowcaseProcess.StartAsync();

    public async ValueTask DisposeAsync()
    {
        if (_process is not null)
        {
            await _process.DisposeAsync();
        }
    }
}

[CollectionDefinition(nameof(RunningShowcase))]
public sealed class RunningShowcaseGroup : ICollectionFixture<RunningShowcase>;
