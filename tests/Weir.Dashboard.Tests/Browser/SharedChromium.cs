using Weir.Dashboard.Tests.Browser;
using Weir.IntegrationTests.Browser;

[assembly: AssemblyFixture(typeof(SharedChromium))]

namespace Weir.Dashboard.Tests.Browser;

/// <summary>One browser for all tests, which is started for the first of them: each start takes more than a second.</summary>
public sealed class SharedChromium : IAsyncDisposable
{
    private readonly Lazy<Task<Chromium>> _chromium = new(Chromium.StartAsync);

    /// <summary>The browser for one test. Skips it where there is none.</summary>
    internal async Task<Chromium> OpenAsync() => (await _chromium.Value).Share();

    public async ValueTask DisposeAsync()
    {
        if (_chromium is { IsValueCreated: true, Value.IsCompletedSuccessfully: true })
        {
            await (await _chromium.Value).DisposeAsync();
        }
    }
}
