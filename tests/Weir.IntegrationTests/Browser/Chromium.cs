using Microsoft.Playwright;

namespace Weir.IntegrationTests.Browser;

/// <summary>The distribution's own Chromium without a window; nothing is downloaded.</summary>
internal sealed class Chromium : IAsyncDisposable
{
    private const string Program = "/usr/bin/chromium";

    private readonly IPlaywright _playwright;
    private readonly IBrowser _browser;
    private readonly bool _isShared;
    private readonly List<IPage> _pages = [];

    private Chromium(IPlaywright playwright, IBrowser browser, bool isShared = false)
    {
        _playwright = playwright;
        _browser = browser;
        _isShared = isShared;
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

    /// <summary>The same browser for one of several tests: what it opens is closed when that is disposed, and nothing else.</summary>
    public Chromium Share() => new(_playwright, _browser, isShared: true);

    /// <summary>Opens a page as a new visitor would.</summary>
    public async Task<IPage> OpenAsync()
    {
        var page = await _browser.NewPageAsync();
        _pages.Add(page);
        return page;
    }

    public async ValueTask DisposeAsync()
    {
        if (_isShared)
        {
            foreach (var page in _pages)
            {
                await page.Context.CloseAsync();
            }

            return;
        }

        await _browser.DisposeAsync();
        _playwright.Dispose();
    }
}
