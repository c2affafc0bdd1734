using System.Text.RegularExpressions;
using Microsoft.Playwright;
using Weir.IntegrationTests.Showcase;
using Xunit;
using static Microsoft.Playwright.Assertions;

namespace Weir.IntegrationTests.Browser;

/// <summary>The page as a person uses it: looks, presses a button, looks again.</summary>
public sealed class ShowcasePageTests
{
    [Theory]
    [InlineData("Weather/Next", "ndjson")]
    [InlineData("Weather/NextBlocking", "sse")]
    [InlineData("Weather/NextIsolated", "ndjson")]
    public async Task A_person_sees_a_stream_arrive_item_by_item_and_stops_it(string operation, string format)
    {
        await using var chromium = await Chromium.StartAsync();
        await using var showcase = await ShowcaseProcess.StartAsync();
        var page = await OpenAsync(chromium, showcase);

        await page.Locator($"input[value='{operation}']").CheckAsync();
        await page.Locator("#stream [name=days]").FillAsync("1000");
        await page.Locator("#stream [name=delay]").FillAsync("400");
        await page.Locator("#stream [name=format]").SelectOptionAsync(format);
        await page.GetByRole(AriaRole.Button, new() { Name = "Start", Exact = true }).ClickAsync();

        // 1. The first items are on the screen while the last one is minutes away, and they came one by one.
        var items = page.Locator("#items > li");
        await Expect(items.Nth(2)).ToBeVisibleAsync(new() { Timeout = 30_000 });
        Assert.InRange(await items.CountAsync(), 3, 100);
        var arrivals = new int[3];
        for (var item = 0; item < arrivals.Length; item++)
        {
            arrivals[item] = int.Parse((await items.Nth(item).Locator("time").InnerTextAsync()).Replace(" ms", "", StringComparison.Ordinal));
        }

        Assert.All(arrivals.Zip(arrivals.Skip(1)), static pair => Assert.InRange(pair.Second - pair.First, 50, 60_000));

        // 2. It stops at the button, and nothing more arrives.
        await page.GetByRole(AriaRole.Button, new() { Name = "Stop", Exact = true }).ClickAsync();
        await Expect(page.Locator("#progress")).ToContainTextAsync("Stopped after");
        var arrived = await items.CountAsync();
        Assert.InRange(arrived, 3, 100);

        // 3. The host says that the producer stopped, and how soon.
        await Expect(page.Locator("[data-of=stoppedEarly]")).ToHaveTextAsync("1");
        await Expect(page.Locator("[data-of=lastStopMs]")).ToHaveTextAsync(new Regex("^[0-9.]+$"));
        await Expect(items).ToHaveCountAsync(arrived);
    }

    [Fact]
    public async Task A_person_crashes_a_neighbour_and_sees_that_only_that_call_failed()
    {
        await using var chromium = await Chromium.StartAsync();
        await using var showcase = await ShowcaseProcess.StartAsync();
        var page = await OpenAsync(chromium, showcase);

        await page.GetByRole(AriaRole.Button, new() { Name = "Start hashing" }).ClickAsync();
        await AnswersExceedAsync(page, 5);

        foreach (var kind in new[] { "Segv", "StackOverflow" })
        {
            await page.Locator("select[name=kind]").SelectOptionAsync(kind);
            await page.GetByRole(AriaRole.Button, new() { Name = "Neighbour/Crash" }).ClickAsync();

            var report = page.Locator("#log > li").First;
            await Expect(report).ToContainTextAsync("502 Neighbour/Crash", new() { Timeout = 30_000 });
            await Expect(report).ToContainTextAsync("WEIR2011");
            await Expect(report).ToContainTextAsync(", 0 failed.");
            await page.EvaluateAsync("document.getElementById('log').replaceChildren()");
        }

        await AnswersExceedAsync(page, int.Parse(await page.Locator("[data-of=answered]").InnerTextAsync()) + 5);
        await Expect(page.Locator("[data-of=failed]")).ToHaveTextAsync("0");

        // The neighbours' own pool is back as well.
        await page.GetByRole(AriaRole.Button, new() { Name = "Neighbour/GetStatic" }).ClickAsync();
        await Expect(page.Locator("#log > li").First).ToContainTextAsync("200 Neighbour/GetStatic", new() { Timeout = 30_000 });
    }

    [Theory]
    [InlineData("Ticks/Again")]
    [InlineData("Ticks/Kept")]
    public async Task A_person_cuts_the_connection_of_a_stream_and_sees_it_continue(string operation)
    {
        await using var chromium = await Chromium.StartAsync();
        await using var showcase = await ShowcaseProcess.StartAsync();
        var page = await OpenAsync(chromium, showcase);
        await page.Locator($"#ticks input[value='{operation}']").CheckAsync();
        await page.Locator("#ticks [name=count]").FillAsync("150");
        await page.GetByRole(AriaRole.Button, new() { Name = "Watch", Exact = true }).ClickAsync();
        for (var cut = 1; cut <= 2; cut++)
        {
            await page.WaitForFunctionAsync("received => Number(document.querySelector('[data-of=received]').textContent) > received", 10 * cut, new() { Timeout = 30_000 });
            await page.GetByRole(AriaRole.Button, new() { Name = "Cut the connection" }).ClickAsync();
            await Expect(page.Locator("[data-of=cuts]")).ToHaveTextAsync($"{cut}", new() { Timeout = 30_000 });
        }

        await Expect(page.Locator("#ticks output")).ToHaveTextAsync("The host counted 150, complete.", new() { Timeout = 60_000 });
        await Expect(page.Locator("[data-of=received]")).ToHaveTextAsync("150");
        await Expect(page.Locator("[data-of=missing]")).ToHaveTextAsync("0");
        await Expect(page.Locator("[data-of=repeated]")).ToHaveTextAsync("0");
    }

    private static async Task<IPage> OpenAsync(Chromium chromium, ShowcaseProcess showcase)
    {
        var page = await chromium.OpenAsync();
        await page.GotoAsync(showcase.Address.ToString());
        await Expect(page).ToHaveTitleAsync("Weir showcase");
        return page;
    }

    private static async Task AnswersExceedAsync(IPage page, int count) =>
        await page.WaitForFunctionAsync(
            "count => Number(document.querySelector('[data-of=answered]').textContent) > count", count, new() { Timeout = 30_000 });
}
