using System.Globalization;
using System.Text.Json;
using System.Text.RegularExpressions;
using Microsoft.Playwright;
using Weir.IntegrationTests.Showcase;
using Xunit;
using static Microsoft.Playwright.Assertions;

namespace Weir.IntegrationTests.Browser;

/// <summary>A report as a person follows it on the page: the job continues when the page, its worker or the host is gone.</summary>
public sealed class ShowcaseJobTests : IDisposable
{
    private const int Pages = 40;
    private const float Long = 120_000;

    private readonly string _folder = Directory.CreateTempSubdirectory("weir-showcase-").FullName;

    [Fact]
    public async Task A_person_sees_a_report_grow_reloads_the_page_and_follows_the_same_job_to_its_end()
    {
        await using var chromium = await Chromium.StartAsync();
        await using var showcase = await StartAsync();
        var page = await OpenAsync(chromium, showcase);
        await SubmitAsync(page, Pages, 300);

        // 1. Progress and pages while it is built.
        await PagesExceedAsync(page, 3);
        await page.WaitForFunctionAsync("document.getElementById('fraction').value > 0", null, new() { Timeout = Long });
        var progress = await FractionAsync(page);
        Assert.InRange(progress, 0.01, 0.99);
        await page.WaitForFunctionAsync("before => document.getElementById('fraction').value > before", progress, new() { Timeout = Long });

        // 2. A page that knows nothing but its address.
        var job = JobOf(page);
        await page.ReloadAsync();
        await AssertWholeAsync(page, Pages);
        await Expect(page.Locator("#state")).ToHaveTextAsync("Job succeeded.");
        Assert.Equal(1, await FractionAsync(page));
        Assert.Equal(job, JobOf(page));
        Assert.Equal(("succeeded", 1), await JobAsync(showcase, job));
    }

    [Fact]
    public async Task A_person_kills_the_worker_of_a_report_and_sees_each_page_once()
    {
        await using var chromium = await Chromium.StartAsync();
        await using var showcase = await StartAsync();
        var page = await OpenAsync(chromium, showcase);
        await SubmitAsync(page, Pages, 300);
        await PagesExceedAsync(page, 5);

        await page.GetByRole(AriaRole.Button, new() { Name = "Reports/Crash" }).ClickAsync();
        await Expect(page.Locator("#report output")).ToContainTextAsync("WEIR2011");

        await AssertWholeAsync(page, Pages);
        await Expect(page.Locator("#state")).ToHaveTextAsync("Job succeeded, attempt 2 of 5.");
        await AssertAttemptsAsync(page);
    }

    [Fact]
    public async Task A_page_that_stays_open_while_the_host_is_killed_and_started_again_has_each_page_once()
    {
        await using var chromium = await Chromium.StartAsync();
        await using var killed = await StartAsync();
        var page = await OpenAsync(chromium, killed);
        await SubmitAsync(page, Pages, 300);
        await PagesExceedAsync(page, 5);

        await killed.KillAsync();
        await Expect(page.Locator("#state")).ToHaveTextAsync("The host does not answer; asking again.");
        await using var next = await StartAsync("--urls", killed.Address.GetLeftPart(UriPartial.Authority));

        await AssertWholeAsync(page, Pages);
        await Expect(page.Locator("#state")).ToHaveTextAsync("Job succeeded, attempt 2 of 5.");
        await AssertAttemptsAsync(page);
    }

    [Fact]
    public async Task A_person_cancels_a_report_and_it_stays_cancelled()
    {
        await using var chromium = await Chromium.StartAsync();
        await using var showcase = await StartAsync();
        var page = await OpenAsync(chromium, showcase);
        await SubmitAsync(page, 10_000, 100);
        await PagesExceedAsync(page, 2);

        await page.GetByRole(AriaRole.Button, new() { Name = "Cancel the job" }).ClickAsync();
        await Expect(page.Locator("#state")).ToHaveTextAsync("Job cancelled.");
        await Expect(page.Locator("#report output")).ToContainTextAsync("WEIR2040");
        await Expect(page.Locator("#cancel")).ToBeDisabledAsync();
        var built = await page.Locator("[data-of=pages]").InnerTextAsync();

        // The pages that it had remain.
        await page.ReloadAsync();
        await Expect(page.Locator("#state")).ToHaveTextAsync("Job cancelled.");
        await Expect(page.Locator("[data-of=pages]")).ToHaveTextAsync(built);
        Assert.Equal(("cancelled", 1), await JobAsync(showcase, JobOf(page)));
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private Task<ShowcaseProcess> StartAsync(params string[] arguments) => ShowcaseProcess.StartAsync([$"--Jobs:Store={Path.Combine(_folder, "jobs.db")}", .. arguments]);

    private static async Task<IPage> OpenAsync(Chromium chromium, ShowcaseProcess showcase)
    {
        var page = await chromium.OpenAsync();
        await page.GotoAsync(showcase.Address.ToString());
        await Expect(page.Locator("#state")).ToHaveTextAsync("No report is being built.");
        return page;
    }

    private static async Task SubmitAsync(IPage page, int pages, int delay)
    {
        await page.Locator("#report [name=pages]").FillAsync(pages.ToString(CultureInfo.InvariantCulture));
        await page.Locator("#report [name=delay]").FillAsync(delay.ToString(CultureInfo.InvariantCulture));
        await page.GetByRole(AriaRole.Button, new() { Name = "Reports/Build" }).ClickAsync();
        await page.WaitForURLAsync(new Regex("#job="));
    }

    private static async Task PagesExceedAsync(IPage page, int count) =>
        await page.WaitForFunctionAsync("count => document.getElementById('pages').childElementCount > count", count, new() { Timeout = Long });

    /// <summary>Each page was received once, in order, and the end was proved.</summary>
    private static async Task AssertWholeAsync(IPage page, int count)
    {
        await Expect(page.Locator("#report output")).ToHaveTextAsync($"The host counted {count} pages, complete.", new() { Timeout = Long });
        Assert.Equal(Enumerable.Range(1, count).Select(static number => $"page {number}"), await page.Locator("#pages b").AllInnerTextsAsync());
        await Expect(page.Locator("[data-of=gaps]")).ToHaveTextAsync("0");
        await Expect(page.Locator("[data-of=repeats]")).ToHaveTextAsync("0");
    }

    /// <summary>Some pages are of the first attempt, and all behind them of the second, in another process.</summary>
    private static async Task AssertAttemptsAsync(IPage page)
    {
        var attempts = await page.Locator("#pages span").AllInnerTextsAsync();
        Assert.Equal(["attempt 1", "attempt 2"], attempts.Distinct());
        Assert.Equal(attempts.Order(), attempts);
        Assert.Equal(2, (await page.Locator("#pages small").AllInnerTextsAsync()).Distinct().Count());
    }

    private static async Task<double> FractionAsync(IPage page) => await page.EvaluateAsync<double>("document.getElementById('fraction').value");

    private static string JobOf(IPage page) => page.Url[(page.Url.IndexOf("#job=", StringComparison.Ordinal) + 5)..];

    private static async Task<(string? State, int Attempt)> JobAsync(ShowcaseProcess showcase, string id)
    {
        using var job = JsonDocument.Parse(await showcase.Client.GetStringAsync($"/$jobs/{id}", TestContext.Current.CancellationToken));
        return (job.RootElement.GetProperty("state").GetString(), job.RootElement.GetProperty("attempt").GetInt32());
    }
}
