using Microsoft.Playwright;
using Weir.IntegrationTests.Packaging;
using Weir.IntegrationTests.Showcase;
using Xunit;
using static Microsoft.Playwright.Assertions;

namespace Weir.IntegrationTests.Browser;

/// <summary>The pictures of the README: how they are taken, and that they are small.</summary>
public sealed class ReadmePicturesTests
{
    private const int MostBytes = 150 * 1024;

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public void The_pictures_of_the_readme_are_small()
    {
        var pictures = Directory.GetFiles(Path.Combine(RepositoryRoot.Path, "docs", "pictures"));
        Assert.Equal(["dashboard-now.png", "dashboard-pool.png"], pictures.Select(Path.GetFileName).Order());
        Assert.All(pictures, static picture => Assert.InRange(new FileInfo(picture).Length, 1, MostBytes));
    }

    /// <summary>A pool whose workers crash, and one with more calls than it can run.</summary>
    [Fact]
    [Trait("Kind", "Long")]
    public async Task The_view_Now_of_a_showcase_in_trouble()
    {
        RequireScreens();
        await using var chromium = await Chromium.StartAsync();
        await using var showcase = await ShowcaseProcess.StartAsync(environment: ShowcaseProcess.Development);
        var page = await ShowcaseDashboardTests.OpenAsync(chromium, showcase);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Ct);

        // 1. Calls that are answered, and calls that take longer than there is capacity for.
        await page.GetByRole(AriaRole.Button, new() { Name = "Start hashing" }).ClickAsync();
        List<Task> calls = [.. Enumerable.Range(0, 3).Select(_ => KeepAsync(showcase, "/Sleep/Bio?ms=150", stop.Token)), .. Enumerable.Range(0, 9).Select(_ => KeepAsync(showcase, "/Reports/Build?pages=60&delay=1000", stop.Token))];
        var dashboard = await chromium.OpenAsync();
        await dashboard.EmulateMediaAsync(new() { ColorScheme = ColorScheme.Light, ReducedMotion = ReducedMotion.Reduce });
        await dashboard.SetViewportSizeAsync(1_280, 880);
        await dashboard.GotoAsync(new Uri(showcase.Address, "/weir/").ToString());
        await dashboard.WaitForTimeoutAsync(15_000);

        // 2. A crash loop.
        foreach (var kind in new[] { "Segv", "StackOverflow", "Exit", "FailFast" })
        {
            await showcase.Client.PostAsync($"/Neighbour/Crash?kind={kind}", null, Ct);
        }

        await Expect(dashboard.Locator(".findings li.failing")).ToContainTextAsync("Neighbour/Crash");
        await Expect(dashboard.Locator(".findings li.waiting")).ToContainTextAsync("reports");
        await dashboard.WaitForTimeoutAsync(4_000);
        AssertSmall(await Screens.TakeAsync(dashboard, "dashboard-now"));
        await stop.CancelAsync();
        await Task.WhenAll(calls);
    }

    /// <summary>Two waves of work.</summary>
    [Fact]
    [Trait("Kind", "Long")]
    public async Task The_view_of_a_pool_after_two_waves_of_work()
    {
        RequireScreens();
        await using var chromium = await Chromium.StartAsync();
        await using var showcase = await ShowcaseProcess.StartAsync(environment: ShowcaseProcess.Development);
        var page = await ShowcaseDashboardTests.OpenAsync(chromium, showcase);
        var dashboard = await ShowcaseDashboardTests.SendTwoWavesAsync(page);
        await dashboard.EmulateMediaAsync(new() { ColorScheme = ColorScheme.Light, ReducedMotion = ReducedMotion.Reduce });
        await dashboard.SetViewportSizeAsync(1_280, 860);
        await ShowcaseDashboardTests.QuietAsync(showcase);
        await Expect(dashboard.Locator(".lives text", new() { HasTextString = "| retired: idle" })).ToHaveCountAsync(6);
        await dashboard.WaitForTimeoutAsync(3_000);
        AssertSmall(await Screens.TakeAsync(dashboard, "dashboard-pool"));
    }

    private static void AssertSmall(string picture) => Assert.InRange(new FileInfo(picture).Length, 1, MostBytes);

    private static void RequireScreens()
    {
        if (!Screens.AreTaken)
        {
            Assert.Skip("Pictures are taken where the variable WEIR_SCREENS is set.");
        }
    }

    // The same call again and again.
    private static async Task KeepAsync(ShowcaseProcess showcase, string path, CancellationToken stop)
    {
        try
        {
            while (true)
            {
                using var answer = await showcase.Client.PostAsync(path, null, stop);
                await answer.Content.ReadAsByteArrayAsync(stop);
            }
        }
        catch (OperationCanceledException)
        {
            // It was stopped.
        }
    }
}
