using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Weir.Tests;
using static Weir.Dashboard.Tests.Observer;

namespace Weir.Dashboard.Tests;

/// <summary>What an operator sees of jobs.</summary>
public sealed class ObservedJobsTests
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    // Jobs are ready to be observed after recording began, and before: with the dashboard it begins with the server.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_job_that_failed_is_a_finding_with_its_kind_and_its_id_and_is_counted(bool recordsFromTheStart)
    {
        await using var application = await StartAsync(services => services.Configure<WeirOptions>(weir => weir.Recording.Enabled = recordsFromTheStart));
        Assert.Equal(0, (await JobsAsync(application)).GetProperty("running").GetInt32());
        var job = await application.Get<IJobs<IErrandsClient>>().EnqueueAsync(static errands => errands.Fail(), cancellationToken: Ct);
        var finding = await FindingAsync(application, "jobsFailed");
        Assert.Equal(("failing", "Errands/Fail", "Errands/Fail"), (Text(finding, "severity"), Text(finding, "op"), Text(finding, "subject")));
        Assert.Contains($"1 job failed in the last minute, the last one {job.Id} (Exception)", Text(finding, "sentence"), StringComparison.Ordinal);
        var jobs = await JobsAsync(application);
        Assert.Equal((1, 1), (jobs.GetProperty("failed").GetInt32(), jobs.GetProperty("kinds").GetProperty("Errands/Fail").GetProperty("failed").GetInt32()));
        Assert.True(jobs.GetProperty("kinds").GetProperty("Errands/Fail").GetProperty("p99").GetDouble() > 0);

        var (code, shown, _) = await Tool.RunAsync("ps", application.Address.ToString(), "--check");
        Assert.Equal(3, code);
        Assert.Contains("✗ Errands/Fail: 1 job failed", shown, StringComparison.Ordinal);
        Assert.Contains("\nJOBS  ", shown, StringComparison.Ordinal);
        Assert.Contains("\nErrands/Fail  ", shown[shown.IndexOf("KINDS", StringComparison.Ordinal)..], StringComparison.Ordinal);
        var (_, explained, _) = await Tool.RunAsync("ps", application.Address.ToString(), "--explain");
        Assert.Contains("# WEIR2040: A job has no result", explained, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_kind_that_is_paused_is_shown_and_is_a_finding_once_a_job_of_it_waits()
    {
        await using var application = await StartAsync();
        var jobs = application.Get<IJobs>();
        await jobs.PauseAsync("Errands/Run", Ct);
        Assert.Equal("Errands/Run", Assert.Single((await JobsAsync(application)).GetProperty("paused").EnumerateArray()).GetString());
        Assert.Empty((await application.SnapshotAsync()).GetProperty("findings").EnumerateArray());
        var job = await application.Get<IJobs<IErrandsClient>>().EnqueueAsync(static errands => errands.Run("a"), cancellationToken: Ct);
        Assert.StartsWith("Errands/Run is paused, and ", Text(await FindingAsync(application, "jobsPaused"), "sentence"), StringComparison.Ordinal);

        // The store has counted because a job was submitted.
        Assert.True(await UntilAsync(async () => (await JobsAsync(application)).TryGetProperty("waiting", out var waiting) ? waiting.GetInt32() : 0, static waiting => waiting > 0) > 0);
        await jobs.ResumeAsync("Errands/Run", Ct);
        Assert.Equal("a", await job.ResultAsync(Ct));
        Assert.Empty((await JobsAsync(application)).GetProperty("paused").EnumerateArray());
    }

    [Fact]
    public async Task How_many_jobs_wait_is_left_out_when_the_store_has_not_counted_for_a_minute_and_a_look_makes_it_count_nothing()
    {
        var time = new ManualTime();
        await using var application = await StartAsync(services => services.AddSingleton<TimeProvider>(time));
        await application.Get<IJobs>().PauseAsync("Errands/Run", Ct);
        Assert.False((await JobsAsync(application)).TryGetProperty("waiting", out _));
        await application.Get<IJobs<IErrandsClient>>().EnqueueAsync(static errands => errands.Run("a"), cancellationToken: Ct);
        await UntilAsync(async () => (await JobsAsync(application)).TryGetProperty("waiting", out var waiting) ? waiting.GetInt32() : 0, static waiting => waiting > 0);
        time.Advance(TimeSpan.FromSeconds(59));
        Assert.True((await JobsAsync(application)).TryGetProperty("waiting", out _));
        time.Advance(TimeSpan.FromSeconds(2));
        for (var looks = 0; looks < 20; looks++)
        {
            Assert.False((await JobsAsync(application)).TryGetProperty("waiting", out _));
        }
    }

    [Theory]
    [InlineData("pools", "POOLS", "JOBS")]
    [InlineData("jobs", "JOBS", "POOLS")]
    public async Task A_view_has_its_own_tables_alone(string view, string has, string hasNot)
    {
        await using var application = await StartAsync();
        using (await application.Client.PostAsync(new Uri("/Faulty/Answer", UriKind.Relative), null, Ct))
        {
        }

        var text = await UntilAsync(() => application.Client.GetStringAsync(new Uri($"/weir/ps?view={view}&sort=p95", UriKind.Relative), Ct), text => text.Contains(has, StringComparison.Ordinal));
        Assert.DoesNotContain(hasNot, text, StringComparison.Ordinal);
        foreach (var wrong in new[] { "view=everything", "sort=name" })
        {
            using var refused = await application.SendAsync(HttpMethod.Get, $"/weir/ps?{wrong}");
            Assert.Equal(400, (int)refused.StatusCode);
        }
    }

    [Fact]
    public async Task An_application_without_jobs_has_no_member_and_no_line_of_them()
    {
        await using var application = await DashboardApplication.StartAsync();
        Assert.False((await application.SnapshotAsync()).TryGetProperty("jobs", out _));
        Assert.DoesNotContain("JOBS", await application.Client.GetStringAsync(new Uri("/weir/ps", UriKind.Relative), Ct), StringComparison.Ordinal);
    }

    private static Task<DashboardApplication> StartAsync(Action<IServiceCollection>? more = null) => DashboardApplication.StartAsync(
        Environments.Development,
        static app => app.MapWeirDashboard(),
        services =>
        {
            services.AddWeirJobs(static jobs => jobs.UseMemory());
            more?.Invoke(services);
        });

    private static async Task<JsonElement> JobsAsync(DashboardApplication application) => (await application.SnapshotAsync()).GetProperty("jobs");

    private static string? Text(JsonElement json, string name) => json.GetProperty(name).GetString();
}
