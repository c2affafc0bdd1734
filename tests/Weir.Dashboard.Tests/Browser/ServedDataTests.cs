using System.Text.RegularExpressions;
using Deque.AxeCore.Playwright;
using Microsoft.Playwright;
using Weir.IntegrationTests.Browser;
using Weir.IntegrationTests.Packaging;
using static Microsoft.Playwright.Assertions;

namespace Weir.Dashboard.Tests.Browser;

/// <summary>What each view makes of the data that it asks for.</summary>
public sealed class ServedDataTests(SharedChromium browser)
{
    // Milliseconds that a table of 2,000 cells takes.
    private const string PlainTable = """
        () => {
          const start = performance.now();
          const table = document.createElement('table');
          for (let row = 0; row < 250; row++) {
            const cells = table.insertRow();
            for (let cell = 0; cell < 8; cell++) {
              cells.insertCell().textContent = `${row} and ${cell}`;
            }
          }
          document.body.append(table);
          table.getBoundingClientRect();
          const end = performance.now();
          table.remove();
          return end - start;
        }
        """;

    // What it takes on the machine of which 200 ms are required.
    private const double PlainTableMs = 90;

    [Fact]
    public async Task The_first_screen_has_the_findings_the_worst_first_and_folds_idle_pools_into_one_line()
    {
        await using var chromium = await browser.OpenAsync();
        await using var application = await DashboardApplication.StartAsync();
        var page = (await OpenAsync(chromium, application, "#/")).Page;
        await Expect(page.Locator(".findings li")).ToHaveTextAsync([new Regex("^✗ calls fail.*hashing cannot start.*Report hashing-5120-7"), new Regex("^! calls wait.*images: 48 calls wait.*Look at what"), new Regex("^i notice.*reports runs without")]);
        await Expect(page.Locator("main")).ToContainTextAsync("and 2 findings more");
        await Expect(page.Locator("main")).ToContainTextAsync("and 300 idle pools: idle0, idle1,");
        await Expect(page.GetByRole(AriaRole.Group, new() { Name = "Pools", Exact = true }).GetByRole(AriaRole.Rowheader)).ToHaveTextAsync(["✗ hashing", "! images", "✓ lane"]);
        await Expect(page).ToHaveTitleAsync(new Regex("^✗ hashing cannot start"));
        await PictureAsync(page, "now");
    }

    [Fact]
    public async Task A_pool_shows_the_life_of_each_worker_with_its_end_and_a_link_to_its_report()
    {
        await using var chromium = await browser.OpenAsync();
        await using var application = await DashboardApplication.StartAsync();
        var opened = await OpenAsync(chromium, application, "#/pool/images");
        var page = opened.Page;
        await Expect(page.Locator(".lives")).ToHaveAttributeAsync("aria-label", "6 worker processes: 6 started, 2 retired, 1 failed");
        await Expect(page.Locator(".lives a")).ToHaveAttributeAsync("href", "#/report/images-5092-3");
        await Expect(page.GetByRole(AriaRole.Img, new() { NameRegex = new Regex("^Queue: waiting at most 50$") })).ToBeVisibleAsync();
        foreach (var text in new[] { "| retired: idle", "✗ failed in a call · images-5092-3", "#813 Images/Scale", "90 MB", "MemoryLimitBytes", "512 MB (RLIMIT_DATA)" })
        {
            await Expect(page.Locator("main")).ToContainTextAsync(text);
        }

        await PictureAsync(page, "pool");
        await page.GetByRole(AriaRole.Button, new() { Name = "1 h" }).ClickAsync();
        await page.GetByRole(AriaRole.Slider).FocusAsync();
        await page.Keyboard.PressAsync("ArrowLeft");
        await PictureAsync(page, "pool-hour");
        await opened.AssertCleanAsync();
    }

    [Fact]
    public async Task Operations_one_of_them_calls_the_host_failures_and_a_report_show_what_is_served()
    {
        await using var chromium = await browser.OpenAsync();
        await using var application = await DashboardApplication.StartAsync();
        var opened = await OpenAsync(chromium, application, "#/operations");
        var page = opened.Page;
        await Expect(page.GetByRole(AriaRole.Row).Filter(new() { HasText = "Orders/Never" })).ToContainTextAsync("inline");
        await page.GetByRole(AriaRole.Button, new() { Name = "Calls/min" }).ClickAsync();
        await Expect(page.GetByRole(AriaRole.Columnheader, new() { Name = "Calls/min" })).ToHaveAttributeAsync("aria-sort", "descending");
        await Expect(page.GetByRole(AriaRole.Rowheader).First).ToHaveTextAsync("Orders/Find");
        await PictureAsync(page, "operations");
        await opened.ShowAsync("#/operation/Images/Scale");
        foreach (var text in new[] { "5 minutes", "6,100", "Failed by status: NotFound 2, WorkerLost 1", "WEIR2011", "images-5092-3", "queue 77 %, run 19 %" })
        {
            await Expect(page.Locator("main")).ToContainTextAsync(text);
        }

        await PictureAsync(page, "operation");
        await opened.ShowAsync("#/calls");
        await Expect(page.Locator("main")).ToContainTextAsync("20,000 in all, of which the 200 longest are listed");
        await page.GetByLabel("Phase").SelectOptionAsync("queue");
        await Expect(page.Locator("main")).ToContainTextAsync("191 match");
        await PictureAsync(page, "calls");
        await opened.ShowAsync("#/host");
        foreach (var text in new[] { "700 MB", "1.2 % of the time", "20 threads, 3 queued", "1,240 open, 310 closing; 12 connections were dropped before they were accepted", "1,200 MB free", "! none", "limited by memory; free or raise what limits them" })
        {
            await Expect(page.Locator("main")).ToContainTextAsync(text);
        }

        await PictureAsync(page, "host");
        await opened.ShowAsync("#/failures");
        await Expect(page.GetByRole(AriaRole.Group, new() { Name = "By cause" }).GetByRole(AriaRole.Row).Filter(new() { HasText = "out of memory at 512 MB" }).GetByRole(AriaRole.Cell).Nth(2)).ToHaveTextAsync("2");
        await PictureAsync(page, "failures");
        await opened.ShowAsync("#/report/images-5092-3");
        foreach (var text in new[] { "1 more with this cause", "signal 9", "memoryBytes512 MB", "Out of memory." })
        {
            await Expect(page.Locator("main")).ToContainTextAsync(text);
        }

        await PictureAsync(page, "report");
        await opened.AssertCleanAsync();
    }

    // In units of this machine's speed: what else runs on a machine, and a slow one, make any task longer. A round measures both at one time.
    [Fact]
    public async Task With_300_pools_1000_operations_and_20000_calls_no_view_holds_the_page_for_200_ms()
    {
        await using var chromium = await browser.OpenAsync();
        await using var application = await DashboardApplication.StartAsync();
        var opened = await DashboardPage.OpenAsync(chromium, application, "#/nothing");
        var page = opened.Page;
        await ServedData.ServeAsync(page, fewOperations: false, ServedData.Record(), ServedData.Record());
        await page.AddInitScriptAsync("new PerformanceObserver(list => list.getEntries().filter(task => task.startTime >= window.since).forEach(task => { window.longest = Math.max(window.longest, task.duration); })).observe({ type: 'longtask' });");
        await page.GotoAsync(new Uri(application.Address, "/weir/?served#/").ToString());
        foreach (var (view, rows) in new[] { ("#/", 12), ("#/operations", 101), ("#/calls", 201), ("#/pool/images", 10) })
        {
            var best = double.MaxValue;
            for (var round = 0; round < 3; round++)
            {
                await opened.ShowAsync("#/nothing");
                await Expect(page.Locator("main")).ToContainTextAsync("There is no such view.");
                var table = await page.EvaluateAsync<double>(PlainTable);
                await page.EvaluateAsync("window.longest = 0; window.since = performance.now()");
                await opened.ShowAsync(view);
                await page.WaitForFunctionAsync("rows => document.querySelectorAll('main tr').length >= rows", rows);

                // Two more updates, of which one may be a longer task than the first.
                await page.WaitForTimeoutAsync(700);
                var longest = await page.EvaluateAsync<double>("window.longest");
                TestContext.Current.TestOutputHelper?.WriteLine($"{view}: {longest} ms, the table {table} ms");
                best = Math.Min(best, longest / Math.Max(1, table / PlainTableMs));
            }

            Assert.True(best <= 200, $"{view} held the page for {best} ms.");
        }

        await opened.AssertCleanAsync();
    }

    [Fact]
    public async Task Jobs_are_shown_by_kind_cause_and_state_with_their_schedules_and_one_with_its_attempts()
    {
        await using var chromium = await browser.OpenAsync();
        await using var application = await DashboardApplication.StartAsync();
        var opened = await OpenAsync(chromium, application, "#/jobs");
        var page = opened.Page;
        foreach (var text in new[] { "1,204, the oldest 3.0 s", "‖ paused", "10,000+", "of other processes", "page 4 of 10", "✗ its time zone Europe/Nowhere is not known", "! not declared now", "stopping (cancel)" })
        {
            await Expect(page.Locator("main")).ToContainTextAsync(text);
        }

        await Expect(page.GetByRole(AriaRole.Group, new() { Name = "Failed jobs by kind and cause" }).GetByRole(AriaRole.Row).Nth(1)).ToHaveTextAsync(new Regex("^Orders/Charge✗ exceptionShop.PaymentException: The card of order … was refused.3"));
        await Expect(page.GetByRole(AriaRole.Button, new() { Name = "succeeded 10,000+" })).ToBeVisibleAsync();
        await PictureAsync(page, "jobs");
        await page.GetByRole(AriaRole.Button, new() { Name = "Pause Reports/Build" }).ClickAsync();
        await PictureAsync(page, "jobs-question");
        await page.Keyboard.PressAsync("Escape");
        await opened.ShowAsync($"#/job/{ServedJobs.Failed}");
        foreach (var text in new[] { "3 of 5", "✗ crashed", "Crash report images-5092-3", "i arguments changed", "acme" })
        {
            await Expect(page.Locator("main")).ToContainTextAsync(text);
        }

        await page.GetByRole(AriaRole.Button, new() { Name = "Show the arguments" }).ClickAsync();
        await Expect(page.GetByLabel("Arguments", new() { Exact = true })).ToContainTextAsync("\"year\": 2026");
        await PictureAsync(page, "job");
        await page.GetByRole(AriaRole.Button, new() { Name = $"Edit arguments and retry: job {ServedJobs.Failed}" }).ClickAsync();
        await PictureAsync(page, "job-edit");
        await page.Keyboard.PressAsync("Escape");
        await opened.ShowAsync($"#/job/{ServedJobs.Large}");
        await page.GetByRole(AriaRole.Button, new() { Name = "Show the arguments" }).ClickAsync();
        await Expect(page.Locator("main")).ToContainTextAsync("These are the first 64 KB.");
        Assert.Equal(64 * 1024, (await page.GetByLabel("Arguments", new() { Exact = true }).InnerTextAsync()).Length);
        await opened.AssertCleanAsync();
    }

    [Fact]
    public async Task Another_process_that_answers_is_named()
    {
        await using var chromium = await browser.OpenAsync();
        await using var application = await DashboardApplication.StartAsync();
        var page = (await OpenAsync(chromium, application, "#/", ServedData.Record(), ServedData.Record(pid: 4712))).Page;
        await Expect(page.Locator("#notice")).ToContainTextAsync("another process answers: shop-api, pid 4712. Before it was pid 4711.");
        await Expect(page.Locator("#instance")).ToContainTextAsync("pid 4712");
    }

    [Fact]
    public async Task A_page_that_is_hidden_closes_its_stream_after_30_s_and_opens_it_again_when_it_is_seen()
    {
        await using var chromium = await browser.OpenAsync();
        await using var application = await DashboardApplication.StartAsync();
        var page = (await OpenAsync(chromium, application, "#/")).Page;
        await page.Clock.InstallAsync();
        await page.ReloadAsync();
        await page.Clock.RunForAsync(1_000);
        await Expect(page.Locator(".connection")).ToHaveTextAsync("● live");
        await HideAsync(true);
        await page.Clock.RunForAsync(29_000);
        Assert.Equal(1, await page.EvaluateAsync<int>("window.streams"));
        await page.Clock.RunForAsync(2_000);
        Assert.Equal(0, await page.EvaluateAsync<int>("window.streams"));
        await HideAsync(false);
        Assert.Equal(1, await page.EvaluateAsync<int>("window.streams"));
        await page.Clock.RunForAsync(1_000);
        await Expect(page.Locator(".connection")).ToHaveTextAsync("● live");

        Task HideAsync(bool isHidden) => page.EvaluateAsync("isHidden => { Object.defineProperty(document, 'hidden', { value: isHidden, configurable: true }); document.dispatchEvent(new Event('visibilitychange')); }", isHidden);
    }

    private static async Task<DashboardPage> OpenAsync(Chromium chromium, DashboardApplication application, string view, params string[] records)
    {
        var opened = await DashboardPage.OpenAsync(chromium, application, "#/nothing");
        await ServedData.ServeAsync(opened.Page, records.Length == 0 ? [ServedData.Record()] : records);
        await opened.Page.GotoAsync(new Uri(application.Address, $"/weir/?served{view}").ToString());
        return opened;
    }

    // Nothing for axe to find in the light theme on a wide screen; with WEIR_SCREENS also in the dark one on a narrow screen, and with pictures. EveryViewTests has all four.
    private static async Task PictureAsync(IPage page, string name)
    {
        var takesPictures = Environment.GetEnvironmentVariable("WEIR_SCREENS") is { Length: > 0 };
        var folder = Path.Combine(RepositoryRoot.Path, "artifacts", "screens");
        foreach (var (theme, width) in takesPictures ? [(ColorScheme.Light, 1_280), (ColorScheme.Dark, 320)] : new[] { (ColorScheme.Light, 1_280) })
        {
            await page.EmulateMediaAsync(new() { ColorScheme = theme });
            await page.SetViewportSizeAsync(width, 800);
            if (takesPictures)
            {
                await page.ScreenshotAsync(new() { Path = Path.Combine(folder, $"served-{name}-{width}-{theme.ToString().ToLowerInvariant()}.png"), FullPage = true });
            }

            var found = await page.RunAxe();
            Assert.True(found.Violations.Length == 0, string.Join('\n', found.Violations.SelectMany(rule => rule.Nodes.Select(node => $"{name}: {theme} {width}: {rule.Id}: {rule.Help}: {node.Html}"))));
        }

        await page.SetViewportSizeAsync(1_280, 800);
        await page.EmulateMediaAsync(new() { ColorScheme = ColorScheme.Light });
    }
}
