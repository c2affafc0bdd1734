using System.Globalization;
using System.Net;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using Deque.AxeCore.Playwright;
using Microsoft.Playwright;
using Weir.IntegrationTests.Showcase;
using Xunit;
using static Microsoft.Playwright.Assertions;

namespace Weir.IntegrationTests.Browser;

/// <summary>What the showcase has in development: the dashboard, links to it, and actions for the person at this machine.</summary>
public sealed class ShowcaseDashboardTests
{
    private const float Long = 240_000;
    private const int MinWorkers = 2;

    // A little below what a pool calls short: 75 % of 10 s.
    private const double ShortOfProcessors = 70;
    private const string Pressure = "/proc/pressure/cpu";
    private const string Refusal = "Only direct requests from this machine may do this: to localhost or a loopback address, through no proxy.";

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Two_waves_of_work_are_drawn_behind_their_link_as_5_workers_that_start_3_that_end_idle_and_3_that_start_again()
    {
        await using var chromium = await Chromium.StartAsync();
        await using var showcase = await ShowcaseProcess.StartAsync(environment: ShowcaseProcess.Development);
        var page = await OpenAsync(chromium, showcase);
        using var waves = new CancellationTokenSource();
        var busiest = BusiestAsync(waves.Token);
        var dashboard = await SendTwoWavesAsync(page);
        await waves.CancelAsync();

        // 1. What happened: the events of the pool in their order. A machine whose processors are all in use has no capacity for so many.
        var events = await QuietAsync(showcase);
        if (await busiest < ShortOfProcessors)
        {
            Assert.Equal("started 5, idle 3, started 3, idle 3", string.Join(", ", Runs(events)));
        }

        // 2. What is drawn.
        var started = events.Count(static one => one == "started");
        Assert.Equal(MinWorkers, started - events.Count(static one => one is not ("started" or "ready")));
        await Expect(dashboard.Locator(".lives rect.life")).ToHaveCountAsync(started);
        await Expect(dashboard.Locator(".lives text", new() { HasTextString = "| retired: idle" })).ToHaveCountAsync(events.Count(static one => one == "idle"));
        await Expect(dashboard.Locator(".lives text", new() { HasTextString = "alive" })).ToHaveCountAsync(MinWorkers);
        await Expect(dashboard.GetByRole(AriaRole.Img, new() { NameRegex = new Regex("^Workers: workers at most [2-5], ") })).ToBeVisibleAsync();
    }

    [Fact]
    public async Task The_person_at_this_machine_pauses_and_resumes_a_pool_and_a_request_that_may_come_from_elsewhere_is_refused()
    {
        await using var showcase = await ShowcaseProcess.StartAsync(environment: ShowcaseProcess.Development);
        Assert.Equal((HttpStatusCode.OK, "hashing is paused: calls wait."), await SendAsync(showcase, "/weir/actions/pause"));
        Assert.Equal((HttpStatusCode.OK, "hashing is resumed."), await SendAsync(showcase, "/weir/actions/resume"));
        Assert.Equal(HttpStatusCode.OK, (await SendAsync(showcase, "/$jobs/kinds", HttpMethod.Get)).Status);
        foreach (var (name, value) in new[] { ("X-Forwarded-For", "127.0.0.1"), ("Via", "1.1 proxy"), ("Host", "rebound.example") })
        {
            Assert.Equal((HttpStatusCode.Forbidden, Refusal), await SendAsync(showcase, "/weir/actions/pause", HttpMethod.Post, name, value));
            Assert.Equal((HttpStatusCode.Forbidden, Refusal), await SendAsync(showcase, "/$jobs/kinds", HttpMethod.Get, name, value));
        }

        // None of them did anything, and no refusal is an error of the application.
        Assert.Equal((HttpStatusCode.Conflict, "hashing is not paused."), await SendAsync(showcase, "/weir/actions/resume"));
        Assert.DoesNotContain("Exception", showcase.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Outside_development_there_is_no_dashboard_no_link_to_it_and_no_action()
    {
        await using var chromium = await Chromium.StartAsync();
        await using var showcase = await ShowcaseProcess.StartAsync();
        var page = await OpenAsync(chromium, showcase);
        await Expect(page.Locator("a[href^='weir/']").First).ToBeHiddenAsync();
        await Expect(page.Locator(".dashboard").Filter(new() { Visible = true })).ToHaveCountAsync(0);
        Assert.Equal(HttpStatusCode.NotFound, (await SendAsync(showcase, "/weir/", HttpMethod.Get)).Status);
        Assert.Equal(HttpStatusCode.NotFound, (await SendAsync(showcase, "/weir/actions/pause")).Status);
        Assert.Equal(HttpStatusCode.NotFound, (await SendAsync(showcase, "/$jobs/kinds", HttpMethod.Get)).Status);
    }

    [Fact]
    public async Task Axe_finds_nothing_in_the_page_in_any_theme_and_width_and_it_does_not_scroll_sideways()
    {
        await using var chromium = await Chromium.StartAsync();
        await using var showcase = await ShowcaseProcess.StartAsync(environment: ShowcaseProcess.Development);
        var page = await OpenAsync(chromium, showcase);
        await FillAsync(page);
        var wrong = new List<string>();
        foreach (var theme in new[] { ColorScheme.Light, ColorScheme.Dark })
        {
            foreach (var width in new[] { 1_280, 320 })
            {
                await page.EmulateMediaAsync(new() { ColorScheme = theme, ReducedMotion = ReducedMotion.Reduce });
                await page.SetViewportSizeAsync(width, 900);
                await Screens.TakeAsync(page, $"showcase-{width}-{theme.ToString().ToLowerInvariant()}", isWhole: true);
                var found = await page.RunAxe();
                wrong.AddRange(found.Violations.SelectMany(rule => rule.Nodes.Select(node => $"{theme} {width}: {rule.Id}: {rule.Help}: {node.Html}")));
                if (await page.EvaluateAsync<bool>("document.documentElement.scrollWidth > document.documentElement.clientWidth"))
                {
                    wrong.Add($"{theme} {width}: the page scrolls sideways");
                }
            }
        }

        Assert.True(wrong.Count == 0, string.Join('\n', wrong));
    }

    /// <summary>Opens the showcase's page.</summary>
    internal static async Task<IPage> OpenAsync(Chromium chromium, ShowcaseProcess showcase)
    {
        var page = await chromium.OpenAsync();
        await page.GotoAsync(showcase.Address.ToString());
        await Expect(page).ToHaveTitleAsync("Weir showcase");
        return page;
    }

    /// <summary>Presses the button of two waves, follows its link while they run, and waits for their end.</summary>
    /// <returns>The view of the pool, which was open all the time.</returns>
    internal static async Task<IPage> SendTwoWavesAsync(IPage page)
    {
        await page.Locator("#waves [name=tasks]").FillAsync("10");
        await page.Locator("#waves [name=size]").FillAsync("60000000");
        await page.GetByRole(AriaRole.Button, new() { Name = "Two waves of work" }).ClickAsync();
        var dashboard = await page.Context.RunAndWaitForPageAsync(() => page.GetByRole(AriaRole.Link, new() { NameRegex = new Regex("^Watch its workers") }).ClickAsync());
        await Expect(dashboard.GetByRole(AriaRole.Heading, new() { Name = "Pool hashing" })).ToBeVisibleAsync();
        await Expect(page.Locator("#waves .status")).ToHaveTextAsync("Both waves have ended.", new() { Timeout = Long });
        await Expect(page.Locator("#waves .steps .fine")).ToHaveCountAsync(2);
        return dashboard;
    }

    /// <summary>The events of the pool, in their order, once only the minimum of its workers is left.</summary>
    internal static async Task<IReadOnlyList<string>> QuietAsync(ShowcaseProcess showcase)
    {
        while (true)
        {
            using var pool = JsonDocument.Parse(await showcase.Client.GetStringAsync("/weir/pool?of=hashing", Ct));
            var events = pool.RootElement.GetProperty("events").EnumerateArray()
                .OrderBy(static one => one.GetProperty("t").GetDouble())
                .Select(static one => one.TryGetProperty("end", out var end) ? end.GetString()! : one.GetProperty("event").GetString()!)
                .ToList();
            if (pool.RootElement.GetProperty("workers").GetArrayLength() == MinWorkers)
            {
                return events;
            }

            await Task.Delay(100, Ct);
        }
    }

    // For how much of 10 s some thread waited for a processor, in percent; the most until it is stopped. 0 where the kernel does not say.
    private static async Task<double> BusiestAsync(CancellationToken stop)
    {
        var most = 0.0;
        while (!stop.IsCancellationRequested)
        {
            var text = File.Exists(Pressure) ? await File.ReadAllTextAsync(Pressure, CancellationToken.None) : "";
            most = Math.Max(most, Regex.Match(text, @"^some avg10=([0-9.]+)") is { Success: true } match ? double.Parse(match.Groups[1].Value, CultureInfo.InvariantCulture) : 0);
            await Task.Delay(100, CancellationToken.None);
        }

        return most;
    }

    // Equal events that follow each other, counted; when a worker became ready does not matter.
    private static IEnumerable<string> Runs(IReadOnlyList<string> events)
    {
        var (last, count) = ("", 0);
        foreach (var one in events.Where(static one => one != "ready").Append(""))
        {
            if (one != last && count > 0)
            {
                yield return $"{last} {count}";
                count = 0;
            }

            (last, count) = (one, count + 1);
        }
    }

    // Answers of each kind, so that they are looked at, too.
    private static async Task FillAsync(IPage page)
    {
        foreach (var button in new[] { "Perf/Echo", "Hasher/DoTask", "Neighbour/Crash", "Reports/Build", "Sleep/Aio", "Guids/Stream", "Watch" })
        {
            await page.GetByRole(AriaRole.Button, new() { Name = button, Exact = true }).ClickAsync();
        }

        await page.Locator("#stream [name=days]").FillAsync("30");
        await page.GetByRole(AriaRole.Button, new() { Name = "Start", Exact = true }).ClickAsync();
        await Expect(page.Locator("#progress")).ToContainTextAsync("complete", new() { Timeout = Long });
        await Expect(page.Locator("#ticks output")).ToContainTextAsync("complete", new() { Timeout = Long });
        await Expect(page.Locator("#state")).ToHaveTextAsync("Job succeeded.", new() { Timeout = Long });
        await Expect(page.Locator("#log > li").First).ToContainTextAsync("502 Neighbour/Crash", new() { Timeout = Long });
    }

    private static async Task<(HttpStatusCode Status, string Text)> SendAsync(ShowcaseProcess showcase, string path, HttpMethod? method = null, string header = "", string value = "")
    {
        using var request = new HttpRequestMessage(method ?? HttpMethod.Post, path);
        if (request.Method == HttpMethod.Post)
        {
            request.Content = new StringContent("""{"pool":"hashing"}""", Encoding.UTF8, "application/json");
        }

        if (header.Length > 0)
        {
            Assert.True(request.Headers.TryAddWithoutValidation(header, value));
        }

        using var response = await showcase.Client.SendAsync(request, Ct);
        return (response.StatusCode, await response.Content.ReadAsStringAsync(Ct));
    }
}
