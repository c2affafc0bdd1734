using Microsoft.Playwright;
using Weir.IntegrationTests.Browser;

namespace Weir.Dashboard.Tests.Browser;

/// <summary>The page in Chromium, and what went wrong in it: violations of its policy, errors of its script, requests that failed.</summary>
internal sealed class DashboardPage
{
    private readonly List<string> _errors = [];

    private DashboardPage(IPage page) => Page = page;

    public IPage Page { get; }

    /// <summary>Opens the page of an application.</summary>
    public static async Task<DashboardPage> OpenAsync(Chromium chromium, DashboardApplication application, string view = "#/", string? user = null)
    {
        var opened = new DashboardPage(await chromium.OpenAsync());
        if (user is not null)
        {
            await opened.Page.SetExtraHTTPHeadersAsync([new(DashboardApplication.User, user)]);
        }

        opened.Page.PageError += (_, error) => opened.Add($"error: {error}");
        opened.Page.Console += (_, message) =>
        {
            // That a part of the data is not served is no error of the page.
            if (message.Type == "error" && !message.Text.Contains("404", StringComparison.Ordinal))
            {
                opened.Add($"console: {message.Text}");
            }
        };
        await opened.Page.AddInitScriptAsync("window.violations = []; document.addEventListener('securitypolicyviolation', event => window.violations.push(`${event.violatedDirective} ${event.sample} ${event.sourceFile}:${event.lineNumber}`));");
        await opened.Page.GotoAsync(new Uri(application.Address, $"/weir/{view}").ToString());
        return opened;
    }

    /// <summary>Shows another view.</summary>
    public Task ShowAsync(string view) => Page.EvaluateAsync("view => { location.hash = view; }", view);

    /// <summary>Nothing of this was wrong.</summary>
    public async Task AssertCleanAsync()
    {
        Assert.Empty(await Page.EvaluateAsync<string[]>("window.violations"));
        lock (_errors)
        {
            Assert.Empty(_errors);
        }
    }

    private void Add(string error)
    {
        lock (_errors)
        {
            _errors.Add(error);
        }
    }
}
