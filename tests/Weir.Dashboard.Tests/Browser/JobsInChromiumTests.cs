using System.Text.RegularExpressions;
using Microsoft.Playwright;
using Weir.IntegrationTests.Browser;
using static Microsoft.Playwright.Assertions;

namespace Weir.Dashboard.Tests.Browser;

/// <summary>The views of jobs as an operator uses them.</summary>
public sealed class JobsInChromiumTests(SharedChromium browser)
{
    private const string Markup = "<img src=x onerror=\"document.title='run'\">";

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_failed_job_is_found_by_its_cause_has_its_exception_and_is_retried_and_its_arguments_are_fetched_only_when_they_are_asked_for()
    {
        await using var chromium = await browser.OpenAsync();
        await using var application = await DashboardApplication.StartWithJobsAsync();
        var id = await FailAsync(application, "No paper.");
        var opened = await OpenAsync(chromium, application);
        var page = opened.Page;
        var asked = new List<string>();
        page.Request += (_, request) =>
        {
            lock (asked)
            {
                asked.Add(new Uri(request.Url).AbsolutePath);
            }
        };
        await page.GetByRole(AriaRole.Link, new() { Name = "Jobs", Exact = true }).ClickAsync();
        await Expect(Row(page, "Kinds of jobs", "Errands/Require")).ToContainTextAsync("✗ 1");
        var cause = Row(page, "Failed jobs by kind and cause", "Errands/Require");
        await Expect(cause).ToContainTextAsync("✗ exceptionSystem.InvalidOperationException: No paper.1");
        await Expect(Row(page, "Schedules", "Errands/Yearly")).ToContainTextAsync("0 3 1 1 *");
        await cause.GetByRole(AriaRole.Link, new() { Name = id }).ClickAsync();
        await Expect(page.GetByRole(AriaRole.Heading, new() { Name = "Job of Errands/Require" })).ToBeFocusedAsync();
        foreach (var text in new[] { id, "✗ failed: exception", "1 of 1", "✗ threw", "System.InvalidOperationException: No paper." })
        {
            await Expect(page.Locator("main")).ToContainTextAsync(text);
        }

        await Expect(page.GetByLabel("Stack trace", new() { Exact = true })).ToContainTextAsync("Errands.Require");
        Assert.DoesNotContain(asked, static path => path.EndsWith("/arguments", StringComparison.Ordinal));
        await page.GetByRole(AriaRole.Button, new() { Name = "Show the arguments" }).ClickAsync();
        await Expect(page.GetByLabel("Arguments", new() { Exact = true })).ToHaveTextAsync(new Regex("^{\\s*\"text\": \"No paper.\"\\s*}$"));
        Assert.Single(asked, static path => path.EndsWith("/arguments", StringComparison.Ordinal));

        await page.GetByRole(AriaRole.Button, new() { Name = $"Retry: job {id}", Exact = true }).ClickAsync();
        await Expect(page.Locator("#outcome")).ToContainTextAsync($"{id} is begun again.");
        await Expect(page.Locator("article")).ToHaveCountAsync(2);
        await opened.AssertCleanAsync();
    }

    [Fact]
    public async Task Arguments_are_edited_until_they_are_right_and_the_job_succeeds_with_them()
    {
        await using var chromium = await browser.OpenAsync();
        await using var application = await DashboardApplication.StartWithJobsAsync();
        var id = await FailAsync(application, "wrong");
        var page = (await OpenAsync(chromium, application, $"#/job/{id}")).Page;
        await page.GetByRole(AriaRole.Button, new() { Name = $"Edit arguments and retry: job {id}" }).ClickAsync();
        var box = page.GetByRole(AriaRole.Dialog).GetByLabel("Arguments, a JSON object");
        await Expect(box).ToHaveValueAsync(new Regex("\"text\": \"wrong\""));
        await box.FillAsync("""{"text": 5}""");
        await page.GetByRole(AriaRole.Button, new() { Name = "Save and retry" }).ClickAsync();
        await Expect(page.GetByRole(AriaRole.Alert)).ToContainTextAsync("text: expected");
        await box.FillAsync("""{"text": "right"}""");
        await page.GetByRole(AriaRole.Button, new() { Name = "Save and retry" }).ClickAsync();
        await Expect(page.GetByRole(AriaRole.Dialog)).ToHaveCountAsync(0);
        await Expect(page.Locator(".badge").First).ToHaveTextAsync("✓ succeeded");
        await Expect(page.Locator("article").First).ToContainTextAsync("i arguments changed");
        await page.GetByRole(AriaRole.Button, new() { Name = "Show the arguments" }).ClickAsync();
        await Expect(page.GetByLabel("Arguments", new() { Exact = true })).ToContainTextAsync("right");

        // One that has ended is deleted.
        await page.GetByRole(AriaRole.Button, new() { Name = $"Delete: job {id}" }).ClickAsync();
        await page.GetByRole(AriaRole.Dialog).GetByRole(AriaRole.Button, new() { Name = "Delete", Exact = true }).ClickAsync();
        await Expect(page.Locator("#outcome")).ToContainTextAsync($"{id} is deleted.");
        await Expect(page.GetByRole(AriaRole.Heading, new() { Name = "Jobs", Exact = true })).ToBeVisibleAsync();
        Assert.Null(await application.Get<IJobs>().Get(Guid.Parse(id)).GetAsync(Ct));
    }

    [Fact]
    public async Task A_kind_is_paused_after_a_question_and_resumed_a_job_of_it_is_cancelled_and_a_schedule_is_run()
    {
        await using var chromium = await browser.OpenAsync();
        await using var application = await DashboardApplication.StartWithJobsAsync();
        var opened = await OpenAsync(chromium, application, "#/jobs");
        var page = opened.Page;
        var row = Row(page, "Kinds of jobs", "Errands/Run");
        await page.GetByRole(AriaRole.Button, new() { Name = "Pause Errands/Run" }).ClickAsync();
        await page.Keyboard.PressAsync("Escape");
        await Expect(row).Not.ToContainTextAsync("paused");
        await page.GetByRole(AriaRole.Button, new() { Name = "Pause Errands/Run" }).ClickAsync();
        await page.GetByRole(AriaRole.Dialog).GetByRole(AriaRole.Button, new() { Name = "Pause", Exact = true }).ClickAsync();
        await Expect(page.Locator("#outcome")).ToContainTextAsync("Errands/Run is paused.");
        await Expect(row).ToContainTextAsync("‖ paused");
        Assert.Contains(application.Log.Audit, static line => line.Contains("operator at 127.0.0.1 asks to pause kind Errands/Run", StringComparison.Ordinal));
        Assert.Contains(application.Log.Audit, static line => line.Contains("pause kind Errands/Run: It is done.", StringComparison.Ordinal));
        var job = await application.Get<IJobs<IErrandsClient>>().EnqueueAsync(static errands => errands.Run("a"), cancellationToken: Ct);
        await page.GetByRole(AriaRole.Button, new() { Name = $"Cancel {job.Id}" }).ClickAsync();
        await page.GetByRole(AriaRole.Dialog).GetByRole(AriaRole.Button, new() { Name = "Cancel the job" }).ClickAsync();
        await Expect(page.Locator("#outcome")).ToContainTextAsync($"{job.Id} is cancelled.");
        await page.GetByRole(AriaRole.Button, new() { Name = "Resume Errands/Run" }).ClickAsync();
        await Expect(row).Not.ToContainTextAsync("paused");

        await page.GetByRole(AriaRole.Button, new() { Name = "Run now: the schedule Errands/Yearly" }).ClickAsync();
        await page.GetByRole(AriaRole.Dialog).GetByRole(AriaRole.Button, new() { Name = "Run now", Exact = true }).ClickAsync();
        await Expect(page.Locator("#outcome")).ToContainTextAsync("was submitted.");
        await opened.AssertCleanAsync();
    }

    [Fact]
    public async Task A_job_that_has_ended_while_its_cancellation_was_confirmed_is_not_changed_and_the_page_says_so()
    {
        await using var chromium = await browser.OpenAsync();
        await using var application = await DashboardApplication.StartWithJobsAsync();
        var jobs = application.Get<IJobs>();
        await jobs.PauseAsync("Errands/Run", Ct);
        var job = await application.Get<IJobs<IErrandsClient>>().EnqueueAsync(static errands => errands.Run("a"), cancellationToken: Ct);
        var page = (await OpenAsync(chromium, application, $"#/job/{job.Id}")).Page;
        await page.GetByRole(AriaRole.Button, new() { Name = $"Cancel: job {job.Id}" }).ClickAsync();
        await Expect(page.GetByRole(AriaRole.Dialog)).ToContainTextAsync("has not begun, and will not.");
        await jobs.ResumeAsync("Errands/Run", Ct);
        await job.WaitAsync(Ct);
        await page.GetByRole(AriaRole.Dialog).GetByRole(AriaRole.Button, new() { Name = "Cancel the job" }).ClickAsync();
        await Expect(page.Locator("#outcome")).ToContainTextAsync($"{job.Id} was not cancelled. Job {job.Id} is succeeded now and was seen as ready");
    }

    [Fact]
    public async Task All_jobs_of_a_filter_are_begun_again_after_their_number_was_typed()
    {
        await using var chromium = await browser.OpenAsync();
        await using var application = await DashboardApplication.StartWithJobsAsync();
        for (var index = 0; index < 3; index++)
        {
            await FailAsync(application, "wrong");
        }

        await application.Get<IJobs>().PauseAsync("Errands/Require", Ct);
        var opened = await OpenAsync(chromium, application, "#/jobs/kind=Errands%2FRequire&state=failed");
        var page = opened.Page;
        await Expect(page.GetByRole(AriaRole.Button, new() { Name = "failed 3" })).ToHaveAttributeAsync("aria-pressed", "true");
        await page.GetByRole(AriaRole.Button, new() { Name = "Retry all jobs of this filter" }).ClickAsync();
        var dialog = page.GetByRole(AriaRole.Dialog);
        await Expect(dialog).ToContainTextAsync("Begins 3 jobs of Errands/Require that are failed now again.");
        await Expect(dialog.GetByRole(AriaRole.Button, new() { Name = "Retry all" })).ToBeDisabledAsync();
        await dialog.GetByRole(AriaRole.Textbox).FillAsync("3");
        await dialog.GetByRole(AriaRole.Button, new() { Name = "Retry all" }).ClickAsync();
        await Expect(page.Locator("#outcome")).ToContainTextAsync("3 of 3 jobs are begun again.");
        Assert.All(await application.Get<IJobs>().ListAsync(cancellationToken: Ct), static job => Assert.Equal(JobState.Ready, job.State));
        await Expect(page.Locator("main")).ToContainTextAsync("No job matches.");
        await opened.AssertCleanAsync();
    }

    [Fact]
    public async Task Markup_in_the_error_and_the_arguments_of_a_job_is_text()
    {
        await using var chromium = await browser.OpenAsync();
        await using var application = await DashboardApplication.StartWithJobsAsync();
        var id = await FailAsync(application, Markup);
        var opened = await OpenAsync(chromium, application, "#/jobs");
        var page = opened.Page;
        await Expect(Row(page, "Jobs", "Errands/Require")).ToContainTextAsync(Markup);

        // By its id in the search.
        await page.Keyboard.PressAsync("/");
        await page.Keyboard.TypeAsync(id.ToUpperInvariant());
        await page.Keyboard.PressAsync("Enter");
        await Expect(page.Locator("article")).ToContainTextAsync(Markup);
        await page.GetByRole(AriaRole.Button, new() { Name = "Show the arguments" }).ClickAsync();
        await Expect(page.GetByLabel("Arguments", new() { Exact = true })).ToContainTextAsync("onerror");
        await Expect(page.Locator("img")).ToHaveCountAsync(0);
        await opened.ShowAsync($"#/job/{Uri.EscapeDataString(Markup)}");
        await Expect(page.Locator("main")).ToContainTextAsync("There is no job <img");
        await opened.AssertCleanAsync();
    }

    [Fact]
    public async Task The_list_has_pages_and_the_focus_stays_in_its_row()
    {
        await using var chromium = await browser.OpenAsync();
        await using var application = await DashboardApplication.StartWithJobsAsync();
        await application.Get<IJobs>().PauseAsync("Errands/Run", Ct);
        var jobs = await application.Get<IJobs<IErrandsClient>>().EnqueueManyAsync(Enumerable.Range(0, 130).Select(static number => $"{number}").ToArray(), static (errands, name) => errands.Run(name), cancellationToken: Ct);
        var opened = await OpenAsync(chromium, application, "#/jobs/state=ready");
        var page = opened.Page;
        var link = page.GetByRole(AriaRole.Group, new() { Name = "Jobs", Exact = true }).GetByRole(AriaRole.Rowheader).First.GetByRole(AriaRole.Link);
        await Expect(link).ToHaveAttributeAsync("title", jobs[^1].Id.ToString());
        await link.FocusAsync();
        await application.Get<IJobs<IErrandsClient>>().EnqueueAsync(static errands => errands.Run("new"), cancellationToken: Ct);
        await Expect(page.GetByRole(AriaRole.Group, new() { Name = "Jobs", Exact = true }).GetByRole(AriaRole.Rowheader)).ToHaveCountAsync(100);
        await Expect(page.GetByRole(AriaRole.Button, new() { Name = "ready 131" })).ToBeVisibleAsync();
        await Expect(page.GetByRole(AriaRole.Link, new() { Name = jobs[^1].Id.ToString(), Exact = true })).ToBeFocusedAsync();
        await page.GetByRole(AriaRole.Button, new() { Name = "Older" }).ClickAsync();
        await Expect(page.Locator(".pages")).ToContainTextAsync("31 jobs, page 2");
        await page.GetByRole(AriaRole.Button, new() { Name = "Newer" }).ClickAsync();
        await Expect(page.Locator(".pages")).ToContainTextAsync("100 jobs");
        await opened.AssertCleanAsync();
    }

    [Fact]
    public async Task Without_the_admin_API_there_is_no_entry_and_who_does_not_pass_its_policy_reads_why()
    {
        await using var chromium = await browser.OpenAsync();
        await using var without = await DashboardApplication.StartWithJobsAsync(servesAdmin: false);
        var page = (await DashboardPage.OpenAsync(chromium, without)).Page;
        await Expect(page.Locator(".connection")).ToHaveTextAsync("● live");
        await Expect(page.GetByRole(AriaRole.Link, new() { Name = "Jobs", Exact = true })).ToHaveCountAsync(0);
        await page.Keyboard.PressAsync("6");
        Assert.DoesNotContain("jobs", page.Url, StringComparison.Ordinal);
        await page.EvaluateAsync("location.hash = '#/jobs'");
        await Expect(page.Locator("main .notice")).ToContainTextAsync("it needs AddWeirJobs and MapWeirJobsAdmin");

        await using var application = await DashboardApplication.StartWithJobsAsync();
        var refused = (await DashboardPage.OpenAsync(chromium, application, "#/jobs")).Page;
        await Expect(refused.Locator("main .notice")).ToHaveTextAsync("The policy of MapWeirJobsAdmin does not let this user in.");
    }

    private static ILocator Row(IPage page, string table, string text) => page.GetByRole(AriaRole.Group, new() { Name = table, Exact = true }).GetByRole(AriaRole.Row).Filter(new() { HasText = text });

    private static Task<DashboardPage> OpenAsync(Chromium chromium, DashboardApplication application, string view = "#/") => DashboardPage.OpenAsync(chromium, application, view, "operator");

    private static async Task<string> FailAsync(DashboardApplication application, string text)
    {
        var job = await application.Get<IJobs<IErrandsClient>>().EnqueueAsync(errands => errands.Require(text), cancellationToken: Ct);
        Assert.Equal(JobState.Failed, (await job.WaitAsync(Ct)).State);
        return job.Id.ToString();
    }
}
