using System.Net;
using System.Text.Json;
using System.Text.RegularExpressions;
using Microsoft.Playwright;
using static Microsoft.Playwright.Assertions;

namespace Weir.Dashboard.Tests.Browser;

/// <summary>The page as a person uses it at 3 a.m.</summary>
public sealed class PageInChromiumTests(SharedChromium browser)
{
    private const string Markup = "<img src=x onerror=\"document.title='run'\">";

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_crash_loop_is_seen_with_pool_cause_and_operation_and_its_report_is_found_by_search_with_the_output()
    {
        await using var chromium = await browser.OpenAsync();
        await using var application = await DashboardApplication.StartAsync();
        var opened = await DashboardPage.OpenAsync(chromium, application);
        var page = opened.Page;
        await Expect(page.Locator(".calm")).ToContainTextAsync("Nothing is wrong since");
        var id = "";
        for (var crash = 0; crash < 3; crash++)
        {
            id = await CrashAsync(application, $"it was me {crash}");
        }

        var finding = page.Locator(".findings li.failing");
        await Expect(finding).ToContainTextAsync("✗ calls fail");
        await Expect(finding).ToContainTextAsync("Faulty/Crash");
        await Expect(finding).ToContainTextAsync("crashing");
        await Expect(finding).ToContainTextAsync("exit code 7");
        await Expect(page.Locator("#status")).ToContainTextAsync("Calls fail: Faulty/Crash");
        await Expect(page).ToHaveTitleAsync(new Regex("^✗ Faulty/Crash"));

        // By keyboard alone, as it is copied from the problem of a 502.
        await page.Keyboard.PressAsync("/");
        await page.Keyboard.TypeAsync(id);
        await page.Keyboard.PressAsync("Enter");
        await Expect(page.GetByRole(AriaRole.Heading, new() { Name = $"Report {id}" })).ToBeFocusedAsync();
        await Expect(page.GetByLabel("Output", new() { Exact = true })).ToContainTextAsync("about to crash: it was me 2");
        await page.GetByLabel("Find in the output").FillAsync("IT WAS");
        await Expect(page.Locator("mark")).ToHaveTextAsync("it was");
        await Expect(page.Locator("main")).ToContainTextAsync("2 more with this cause");
        await opened.AssertCleanAsync();
    }

    [Fact]
    public async Task Markup_in_the_output_of_a_worker_and_in_an_address_is_text()
    {
        await using var chromium = await browser.OpenAsync();
        await using var application = await DashboardApplication.StartAsync();
        var id = await CrashAsync(application, Markup);
        var opened = await DashboardPage.OpenAsync(chromium, application, $"#/report/{id}");
        await Expect(opened.Page.GetByLabel("Output", new() { Exact = true })).ToContainTextAsync(Markup);
        await opened.Page.GetByLabel("Find in the output").FillAsync("<img");
        await Expect(opened.Page.Locator("mark")).ToHaveTextAsync("<img");
        foreach (var view in new[] { "pool", "operation", "report", "nothing" })
        {
            await opened.ShowAsync($"#/{view}/{Uri.EscapeDataString(Markup)}");
            await Expect(opened.Page.Locator("main")).ToContainTextAsync(view == "nothing" ? "There is no such view." : Markup);
        }

        await Expect(opened.Page.Locator("img")).ToHaveCountAsync(0);
        Assert.DoesNotContain("run", await opened.Page.TitleAsync(), StringComparison.Ordinal);
        await opened.AssertCleanAsync();
    }

    [Fact]
    public async Task A_running_call_is_seen_and_the_focus_and_the_selection_stay_in_its_row_while_it_is_updated()
    {
        await using var chromium = await browser.OpenAsync();
        await using var application = await DashboardApplication.StartAsync();
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Ct);
        var calls = Enumerable.Range(0, 3).Select(_ => application.Client.PostAsync(new Uri("/Faulty/Block?milliseconds=8000", UriKind.Relative), null, stop.Token)).ToList();
        var opened = await DashboardPage.OpenAsync(chromium, application);
        var row = opened.Page.GetByRole(AriaRole.Group, new() { Name = "Running calls, the longest first" }).GetByRole(AriaRole.Row).Filter(new() { HasText = "Faulty/Block" }).Nth(1);
        await Expect(row).ToContainTextAsync("run");
        var link = row.GetByRole(AriaRole.Link).First;
        await link.FocusAsync();
        var time = row.GetByRole(AriaRole.Cell).First;
        var before = await time.InnerTextAsync();
        await Expect(time).Not.ToHaveTextAsync(before);
        await Expect(link).ToBeFocusedAsync();
        await opened.ShowAsync("#/calls");
        await Expect(opened.Page.Locator("main")).ToContainTextAsync("Faulty/Block");
        await opened.AssertCleanAsync();
        await stop.CancelAsync();
        foreach (var call in calls)
        {
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
        }
    }

    [Fact]
    public async Task A_wave_of_work_is_drawn_as_the_lives_of_its_workers_and_the_table_of_the_chart_says_the_same()
    {
        await using var chromium = await browser.OpenAsync();
        await using var application = await DashboardApplication.StartAsync();
        var opened = await DashboardPage.OpenAsync(chromium, application, "#/pool/images");
        await Expect(opened.Page.Locator(".connection")).ToHaveTextAsync("● live");
        await WaveAsync(application);
        while ((await application.SnapshotAsync()).GetProperty("pools").GetProperty("images").GetProperty("workers").GetInt32() > 0)
        {
            await Task.Delay(20, Ct);
        }

        // How many workers a wave needs is the machine's affair: what is drawn equals the events.
        var started = await StartedAsync(application);
        await Expect(opened.Page.Locator(".lives rect.life")).ToHaveCountAsync(started);
        await Expect(opened.Page.Locator(".lives")).ToHaveAttributeAsync("aria-label", $"{started} worker processes: {started} started, {started} retired, 0 failed");
        await opened.Page.GetByText("As a table").ClickAsync();
        var workers = opened.Page.GetByRole(AriaRole.Img, new() { NameRegex = new Regex("^Workers: workers at most [1-3], busy at most [1-3], maximum at most 3$") });
        await Expect(workers).ToBeVisibleAsync();
        var most = (await workers.GetAttributeAsync("aria-label"))!["Workers: workers at most ".Length];
        await Expect(opened.Page.GetByRole(AriaRole.Group, new() { Name = "Values over time" }).Locator($"tr:has(td:nth-child(2):text-is('{most}'))").First).ToBeVisibleAsync();

        // Another moment by the keyboard.
        var slider = opened.Page.GetByRole(AriaRole.Slider);
        await slider.FocusAsync();
        await opened.Page.Keyboard.PressAsync("Home");
        await Expect(slider).ToHaveAttributeAsync("aria-valuenow", "0");
        await Expect(opened.Page.Locator(".cursor")).ToBeVisibleAsync();
        await opened.AssertCleanAsync();
    }

    [Fact]
    public async Task Freezing_stops_what_is_shown_and_says_how_old_it_is()
    {
        await using var chromium = await browser.OpenAsync();
        await using var application = await DashboardApplication.StartAsync();
        var opened = await DashboardPage.OpenAsync(chromium, application);
        await Expect(opened.Page.Locator(".calm")).ToBeVisibleAsync();
        await opened.Page.Keyboard.PressAsync("p");
        await Expect(opened.Page.Locator(".connection")).ToContainTextAsync("frozen");
        for (var crash = 0; crash < 3; crash++)
        {
            await CrashAsync(application, $"{crash}");
        }

        await Expect(opened.Page.Locator(".connection")).ToHaveTextAsync(new Regex("frozen, (?:[3-9]|[0-9]{2}) s old"));
        await Expect(opened.Page.Locator(".calm")).ToBeVisibleAsync();
        await opened.Page.Keyboard.PressAsync("p");
        await Expect(opened.Page.Locator(".findings li.failing")).ToBeVisibleAsync();
        await opened.Page.Keyboard.PressAsync("?");
        await Expect(opened.Page.GetByRole(AriaRole.Dialog)).ToBeVisibleAsync();
        await opened.Page.Keyboard.PressAsync("Escape");
        await opened.AssertCleanAsync();
    }

    [Fact]
    public async Task Without_a_connection_the_page_says_since_when()
    {
        await using var chromium = await browser.OpenAsync();
        var application = await DashboardApplication.StartAsync();
        var opened = await DashboardPage.OpenAsync(chromium, application);
        await Expect(opened.Page.Locator(".connection")).ToHaveTextAsync("● live");
        await application.StopAsync();
        await application.DisposeAsync();
        await Expect(opened.Page.Locator("#notice")).ToHaveTextAsync(new Regex("^No connection since \\d\\d:\\d\\d:\\d\\d: what is shown is from then\\.$"));
        await Expect(opened.Page.Locator("html")).ToHaveAttributeAsync("data-connection", "lost");
    }

    [Fact]
    public async Task Without_script_a_link_leads_to_the_text()
    {
        await using var chromium = await browser.OpenAsync();
        await using var application = await DashboardApplication.StartAsync();
        var page = await (await (await chromium.OpenAsync()).Context.Browser!.NewContextAsync(new() { JavaScriptEnabled = false })).NewPageAsync();
        await page.GotoAsync(new Uri(application.Address, "/weir").ToString());
        await page.GetByRole(AriaRole.Link, new() { Name = "The same as text" }).ClickAsync();
        await Expect(page.Locator("body")).ToContainTextAsync("Nothing is wrong since");
    }

    // Of the workers of the pool, by the stream of events from its beginning.
    private static async Task<int> StartedAsync(DashboardApplication application)
    {
        using var response = await application.SendAsync(HttpMethod.Get, "/weir/events?after=0");
        using var reader = new StreamReader(await response.Content.ReadAsStreamAsync(Ct));
        var started = 0;
        while (await reader.ReadLineAsync(Ct) is { } line && line != "event: tick")
        {
            started += line.Contains("\"event\":\"started\",\"pool\":\"images\"", StringComparison.Ordinal) ? 1 : 0;
        }

        return started;
    }

    /// <summary>Ends a worker in a call.</summary>
    /// <param name="application">The application.</param>
    /// <param name="last">What it prints; each time another one, because a call that ends worker after worker is put in quarantine.</param>
    /// <returns>The id of its report, from the problem.</returns>
    internal static async Task<string> CrashAsync(DashboardApplication application, string last)
    {
        using var response = await application.Client.PostAsync(new Uri($"/Faulty/Crash?last={Uri.EscapeDataString(last)}", UriKind.Relative), null, Ct);
        Assert.Equal(HttpStatusCode.BadGateway, response.StatusCode);
        return JsonElement.Parse(await response.Content.ReadAsStringAsync(Ct)).GetProperty("report").GetString()!;
    }

    /// <summary>More calls than workers.</summary>
    internal static async Task WaveAsync(DashboardApplication application)
    {
        foreach (var response in await Task.WhenAll(Enumerable.Range(0, 9).Select(_ => application.Client.PostAsync(new Uri("/Images/Scale?milliseconds=700", UriKind.Relative), null, Ct))))
        {
            Assert.Equal(HttpStatusCode.OK, response.StatusCode);
            response.Dispose();
        }
    }
}
