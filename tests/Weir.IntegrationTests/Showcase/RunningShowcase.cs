using Xunit;

namespace Weir.IntegrationTests.Showcase;

/// <summary>One showcase for all tests that leave it as they found it.</summary>
public class RunningShowcase : IAsyncLifetime
{
    private ShowcaseProcess? _process;

    internal ShowcaseProcess Process => _process!;

    internal HttpClient Client => Process.Client;

    /// <summary>Variables of its environment.</summary>
    protected virtual IReadOnlyDictionary<string, string>? Environment => null;

    public async ValueTask InitializeAsync() => _process = await ShowcaseProcess.StartAsync(environment: Environment);

    public async ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        if (_process is not null)
        {
            await _process.DisposeAsync();
        }
    }
}

/// <summary>As <c>dotnet run</c> starts it.</summary>
public sealed class DevelopmentShowcase : RunningShowcase
{
    protected override IReadOnlyDictionary<string, string> Environment => ShowcaseProcess.Development;
}

[CollectionDefinition(nameof(RunningShowcase))]
public sealed class RunningShowcaseGroup : ICollectionFixture<RunningShowcase>;
