using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Hosting;
using Microsoft.Playwright;
using Weir.IntegrationTests.Browser;
using static Microsoft.Playwright.Assertions;

namespace Weir.Dashboard.Tests.Browser;

/// <summary>What a person does on the page.</summary>
public sealed class ActionsInChromiumTests(SharedChromium browser)
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_running_call_is_cancelled_by_the_keyboard_alone_and_the_log_names_the_user()
    {
        await using var chromium = await browser.OpenAsync();
        await using var application = await StartAsync();
        var call = await Observer.HangAsync(application);
        var opened = await OpenAsync(chromium, application, "#/");
        var page = opened.Page;
        var cancel = page.GetByRole(AriaRole.Button, new() { NameRegex = new Regex("^Cancel call \\d+ of Faulty.Hang$") });
        await cancel.FocusAsync();
        await page.Keyboard.PressAsync("Enter");
        var dialog = page.GetByRole(AriaRole.Dialog);
        await Expect(dialog).ToContainTextAsync("Cancel Faulty/Hang #");
        await Expect(dialog.GetByRole(AriaRole.Button, new() { Name = "Cancel", Exact = true })).ToBeFocusedAsync();
        await page.Keyboard.PressAsync("Escape");
        await Expect(dialog).ToHaveCountAsync(0);
        Assert.False(call.IsCompleted);
        Assert.Empty(application.Log.Audit);

        await Expect(cancel).ToBeFocusedAsync();
        await page.Keyboard.PressAsync("Enter");
        await page.Keyboard.PressAsync("Tab");
        await page.Keyboard.PressAsync("Enter");
        await Expect(page.Locator("#outcome")).ToHaveTextAsync(new Regex("^✓ Call \\d+ is cancelled\\."));
        await Assert.ThrowsAsync<HttpRequestException>(() => call);
        Assert.Contains(application.Log.Audit, static line => line.Contains("operator at 127.0.0.1 asks to cancel call", StringComparison.Ordinal));

        // Its code ignores that: the worker is killed after its grace.
        await Expect(page.GetByRole(AriaRole.Group, new() { Name = "Workers that failed" })).ToContainTextAsync("its call was cancelled and did not end within the grace", new() { Timeout = 30_000 });
        await opened.AssertCleanAsync();
    }

    [Fact]
    public async Task A_worker_that_was_replaced_since_is_not_killed_and_the_page_says_so()
    {
        await using var chromium = await browser.OpenAsync();
        await using var application = await StartAsync();
        using (await application.Client.PostAsync(new Uri("/Faulty/Answer", UriKind.Relative), null, Ct))
        {
        }

        var seen = application.Pool("crashing").Snapshot().Workers.Single();
        var opened = await OpenAsync(chromium, application, "#/pool/crashing");
        var page = opened.Page;
        await page.GetByRole(AriaRole.Button, new() { Name = $"Kill worker {seen.ProcessId}" }).ClickAsync();
        Assert.True(await application.Pool("crashing").ReplaceWorkerAsync(seen.ProcessId, seen.Serial).WaitAsync(TimeSpan.FromSeconds(60), Ct));
        await page.GetByRole(AriaRole.Dialog).GetByRole(AriaRole.Button, new() { Name = "Kill" }).ClickAsync();
        await Expect(page.Locator("#outcome")).ToHaveTextAsync(new Regex($"^✗ crashing has no such worker {seen.ProcessId} any more"));
        Assert.Empty((await application.ReadAsync("reports")).GetProperty("reports").EnumerateArray());
    }

    [Fact]
    public async Task A_pool_is_paused_resumed_and_after_its_name_was_typed_drained()
    {
        await using var chromium = await browser.OpenAsync();
        await using var application = await StartAsync();
        var opened = await OpenAsync(chromium, application, "#/pool/images");
        var (page, dialog) = (opened.Page, opened.Page.GetByRole(AriaRole.Dialog));
        await page.GetByRole(AriaRole.Button, new() { Name = "Pause images" }).ClickAsync();
        await dialog.GetByRole(AriaRole.Button, new() { Name = "Pause" }).ClickAsync();
        await Expect(page.Locator("main")).ToContainTextAsync("‖ paused");
        Assert.True(application.Pool("images").Snapshot().IsPaused);
        await page.GetByRole(AriaRole.Button, new() { Name = "Resume images" }).ClickAsync();
        await Expect(page.GetByRole(AriaRole.Button, new() { Name = "Pause images" })).ToBeVisibleAsync();
        await page.GetByRole(AriaRole.Button, new() { Name = "Drain images" }).ClickAsync();
        var drain = dialog.GetByRole(AriaRole.Button, new() { Name = "Drain" });
        await Expect(drain).ToBeDisabledAsync();
        await dialog.GetByLabel("To do it, type images:").FillAsync("images");
        await drain.ClickAsync();
        await Expect(page.Locator("#outcome")).ToContainTextAsync("✓ images drains");
        Assert.True(application.Pool("images").Snapshot().IsDraining);
        await Expect(page.GetByRole(AriaRole.Button, new() { Name = "Drain images" })).ToHaveCountAsync(0);
        await opened.AssertCleanAsync();
    }

    [Theory]
    [InlineData("operators", "anyone")]
    [InlineData(null, "operator")]
    public async Task Those_who_may_not_act_see_no_buttons(string? policy, string user)
    {
        await using var chromium = await browser.OpenAsync();
        await using var application = await DashboardApplication.StartAsync(Environments.Development, app => app.MapWeirDashboard(configure: options => options.ActionPolicy = policy));
        using (await application.Client.PostAsync(new Uri("/Faulty/Answer", UriKind.Relative), null, Ct))
        {
        }

        var opened = await DashboardPage.OpenAsync(chromium, application, "#/pool/crashing", user);
        await Expect(opened.Page.Locator("#instance")).ToContainTextAsync($"{Environment.MachineName} · pid {Environment.ProcessId}");
        await Expect(opened.Page.GetByRole(AriaRole.Group, new() { Name = "Workers" })).ToContainTextAsync("idle");
        await Expect(opened.Page.Locator("main .action")).ToHaveCountAsync(0);
        await opened.AssertCleanAsync();
    }

    private static Task<DashboardApplication> StartAsync() => DashboardApplication.StartAsync(Environments.Development, static app => app.MapWeirDashboard(configure: static options => options.ActionPolicy = "operators"));

    private static Task<DashboardPage> OpenAsync(Chromium chromium, DashboardApplication application, string view) => DashboardPage.OpenAsync(chromium, application, view, "operator");
}
