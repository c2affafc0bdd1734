using System.Net;
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
    private const int Quality = 90;

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public void The_pictures_of_the_readme_are_small()
    {
        var pictures = Directory.GetFiles(Path.Combine(RepositoryRoot.Path, "docs", "pictures"));
        Assert.Equal(["dashboard-now.webp", "dashboard-pool.webp"], pictures.Select(Path.GetFileName).Order());
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

        // 1. Calls that are answered, and a crash loop.
        await page.GetByRole(AriaRole.Button, new() { Name = "Start hashing" }).ClickAsync();
        List<Task> calls = [.. Enumerable.Range(0, 3).Select(_ => KeepAsync(showcase, "/Sleep/Bio?ms=150", stop.Token))];
        var dashboard = await chromium.OpenAsync();
        await SetAsync(dashboard, 760);
        await dashboard.GotoAsync(new Uri(showcase.Address, "/weir/").ToString());
        foreach (var kind in new[] { "Segv", "StackOverflow", "FailFast", "Exit" })
        {
            using var lost = await showcase.Client.PostAsync($"/Neighbour/Crash?kind={kind}", null, Ct);
            Assert.Equal(HttpStatusCode.BadGateway, lost.StatusCode);
        }

        // 2. Calls that take longer than there is capacity for.
        calls.AddRange(Enumerable.Range(0, 9).Select(_ => KeepAsync(showcase, "/Reports/Build?pages=20&delay=1000", stop.Token)));
        await Expect(dashboard.Locator(".findings li.failing")).ToContainTextAsync("Neighbour/Crash");
        await Expect(dashboard.Locator(".findings li.waiting")).ToContainTextAsync("reports");
        await dashboard.WaitForTimeoutAsync(8_000);
        await TakeAsync(dashboard, "dashboard-now");
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
        await SetAsync(dashboard, 890);
        var events = await ShowcaseDashboardTests.QuietAsync(showcase);
        if (events.Count(static one => one == "started") < 8)
        {
            Assert.Skip("The processors are busy with other work, so the pool started fewer workers than the picture is about: take it on a machine with nothing else to do.");
        }

        await Expect(dashboard.Locator(".lives text", new() { HasTextString = "| retired: idle" })).ToHaveCountAsync(6);
        await dashboard.WaitForTimeoutAsync(30_000);
        await TakeAsync(dashboard, "dashboard-pool");
    }

    private static async Task SetAsync(IPage page, int height)
    {
        await page.EmulateMediaAsync(new() { ColorScheme = ColorScheme.Light, ReducedMotion = ReducedMotion.Reduce });
        await page.SetViewportSizeAsync(1_280, height);
    }

    // As WebP, in which they have a third of the bytes of a PNG.
    private static async Task TakeAsync(IPage page, string name)
    {
        var session = await page.Context.NewCDPSessionAsync(page);
        var answer = await session.SendAsync("Page.captureScreenshot", new() { ["format"] = "webp", ["quality"] = Quality });
        await session.DetachAsync();
        var picture = answer!.Value.GetProperty("data").GetBytesFromBase64();
        Assert.InRange(picture.Length, 1, MostBytes);
        await File.WriteAllBytesAsync(Path.Combine(Directory.CreateDirectory(Path.Combine(RepositoryRoot.Path, "artifacts", "screens")).FullName, $"{name}.webp"), picture, Ct);
    }

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
