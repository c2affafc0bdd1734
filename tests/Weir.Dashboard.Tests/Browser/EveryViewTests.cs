using Deque.AxeCore.Playwright;
using Microsoft.Playwright;
using Weir.IntegrationTests.Packaging;
using static Microsoft.Playwright.Assertions;

namespace Weir.Dashboard.Tests.Browser;

/// <summary>Every view, in both themes, on a screen and on a phone: nothing for axe to find, nothing wider than the window, and a picture of it in <c>artifacts/screens</c> for people.</summary>
public sealed class EveryViewTests(SharedChromium browser)
{
    private const int Phone = 320;
    private const int Screen = 1_280;

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    [Trait("Kind", "Long")]
    public async Task Axe_finds_nothing_in_any_view_theme_and_width_and_no_page_scrolls_sideways()
    {
        await using var chromium = await browser.OpenAsync();
        await using var application = await DashboardApplication.StartWithJobsAsync();
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Ct);
        await PageInChromiumTests.WaveAsync(application);
        var (report, crashes) = ("", 0);
        // Enough work that calls wait while the pictures are taken.
        List<Task<HttpResponseMessage>> work = [.. Enumerable.Range(0, 14).Select(_ => SendAsync("/Images/Scale?milliseconds=60000")), .. Enumerable.Range(0, 3).Select(_ => SendAsync("/Faulty/Block?milliseconds=60000"))];
        var job = await application.Get<IJobs<IErrandsClient>>().EnqueueAsync(static errands => errands.Require("<b>wrong</b>"), cancellationToken: Ct);
        await job.WaitAsync(Ct);
        var opened = await DashboardPage.OpenAsync(chromium, application, "#/", "operator");
        var page = opened.Page;
        await Expect(page.Locator(".findings li.waiting").First).ToBeVisibleAsync();
        var folder = Directory.CreateDirectory(Path.Combine(RepositoryRoot.Path, "artifacts", "screens")).FullName;
        var wrong = new List<string>();
        foreach (var theme in new[] { ColorScheme.Light, ColorScheme.Dark })
        {
            foreach (var width in new[] { Screen, Phone })
            {
                // Often enough that it is still a finding in the last picture of this theme and width.
                for (var crash = 0; crash < 3; crash++)
                {
                    report = await PageInChromiumTests.CrashAsync(application, $"order {crashes++} <b>of 17</b>");
                }

                await page.EmulateMediaAsync(new() { ColorScheme = theme, ReducedMotion = ReducedMotion.Reduce });
                await page.SetViewportSizeAsync(width, width == Phone ? 640 : 800);
                foreach (var (view, name) in new[]
                {
                    ("#/", "now"), ("#/pool/images", "pool"), ("#/pool/crashing", "pool-crashing"), ("#/pool/(lane)", "lane"), ("#/operations", "operations"), ("#/operation/Faulty/Crash", "operation"), ("#/calls", "calls"),
                    ("#/failures", "failures"), ($"#/report/{report}", "report"), ("#/host", "host"), ("#/jobs", "jobs"), ($"#/job/{job.Id}", "job"),
                })
                {
                    var place = $"{name}-{width}-{theme.ToString().ToLowerInvariant()}";
                    await opened.ShowAsync(view);
                    await Expect(page.Locator("main h2")).ToBeVisibleAsync();

                    // As long as the second update takes: everything that a view asks for is there.
                    await page.WaitForTimeoutAsync(1_500);
                    await page.ScreenshotAsync(new() { Path = Path.Combine(folder, $"dashboard-{place}.png"), FullPage = true });
                    var found = await page.RunAxe();
                    wrong.AddRange(found.Violations.SelectMany(rule => rule.Nodes.Select(node => $"{place}: {rule.Id}: {rule.Help}: {node.Html}")));
                    if (await page.EvaluateAsync<bool>("document.documentElement.scrollWidth > document.documentElement.clientWidth"))
                    {
                        wrong.Add($"{place}: the page scrolls sideways");
                    }
                }
            }
        }

        Assert.True(wrong.Count == 0, string.Join('\n', wrong));
        await opened.AssertCleanAsync();
        await stop.CancelAsync();
        await Task.WhenAll(work.Select(static one => one.ContinueWith(static _ => { }, TaskScheduler.Default)));

        Task<HttpResponseMessage> SendAsync(string path) => application.Client.PostAsync(new Uri(path, UriKind.Relative), null, stop.Token);
    }
}
