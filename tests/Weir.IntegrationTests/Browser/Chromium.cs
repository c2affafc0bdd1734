using Microsoft.Playwright;

namespace Weir.IntegrationTests.Browser;

/// <summary>The distribution's own Chromium without a window; nothing is downloaded.</summary>
internal sealed class Chromium : IAsyncDisposable
{
    private const string Program = "/usr/bin/chromium";

    private readonly IPlaywright _playwright;
    private readonly IBrowser _browser;

    private Chromium(IPlaywright playwright, IBrowser browser)
    {
        _playwright = playwright;
        _browser = browser;
    }

    /// <summary>Starts it, or skips the test that needs it and says what is missing.</summary>
    public static async Task<Chromium> StartAsync()
    {
        if (!File.Exists(Program))
        {
            Xunit.Assert.Skip($"{Program} is missing; apt-get install chromium.");
        }

        // What a page shows late on a busy machine is not wrong.
        Assertions.SetDefaultExpectTimeout(30_000);
        var playwright = await Playwright.CreateAsync();
        try
        {
            // Chromium's sandbox refuses to work for root.
            return new Chromium(playwright, await playwright.Chromium.LaunchAsync(new()
            {
                ExecutablePath = Program,
                Args = Environment.UserName == "root" ? ["--no-sandbox"] : [],
            }));
        }
        catch
        {
            playwright.Dispose();
            throw;
        }
    }

    /// <summary>Opens a page as a new visitor would.</summary>
    public Task<IPage> OpenAsync() => _browser.NewPageAsync();

    public async ValueTask DisposeAsync()
    {
        await _browser.DisposeAsync();
        _playwright.Dispose();
    }
}
