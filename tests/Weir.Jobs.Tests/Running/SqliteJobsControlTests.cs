using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Weir.Jobs.Tests.Running;

public sealed class SqliteJobsControlTests : JobsRetentionCompliance, IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("weir-jobs-");

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    public void Dispose() => _directory.Delete(recursive: true);

    private protected override void Choose(WeirJobsOptions jobs) => jobs.UseSqlite(Path.Combine(_directory.FullName, "jobs.db"));

    [Fact]
    public async Task A_pause_and_what_waits_behind_it_survive_the_host()
    {
        Guid id;
        await using (var host = await StartAsync())
        {
            await host.Jobs.PauseAsync("Controlled/Checked", Ct);
            id = (await host.Get<IJobs<IControlledClient>>().EnqueueAsync(one => one.Checked(1), cancellationToken: Ct)).Id;
        }

        await using (var host = await StartAsync())
        {
            await (await host.Reports.EnqueueAsync(reports => reports.Build("a", 1), cancellationToken: Ct)).ResultAsync(Ct);
            Assert.Equal(JobState.Ready, (await host.Jobs.Get(id).GetAsync(Ct))!.State);
            await host.Jobs.ResumeAsync("Controlled/Checked", Ct);
            Assert.Equal("1 none 0", await host.Jobs.Get<string>(id).ResultAsync(Ct));
        }
    }

    [Fact]
    public async Task A_kind_that_another_service_resumes_while_the_host_starts_is_resumed()
    {
        await using (var host = await StartAsync())
        {
            await host.Jobs.PauseAsync("Controlled/Checked", Ct);
        }

        await using (var host = await JobsHost.StartAsync(Choose, time: Time, services: static services => services.AddHostedService<Resumes>()))
        {
            Assert.Equal("1 none 0", await (await host.Get<IJobs<IControlledClient>>().EnqueueAsync(one => one.Checked(1), cancellationToken: Ct)).ResultAsync(Ct));
        }
    }

    [Fact]
    public async Task An_occurrence_that_was_missed_while_no_host_ran_is_run_once_at_the_next_start()
    {
        await using (var host = await StartAsync())
        {
            await YearlyAsync(host);
        }

        Time.Advance(TimeSpan.FromHours(20));
        for (var start = 0; start < 3; start++)
        {
            await using var host = await StartAsync();
            await UntilAsync(async () => (await YearlyAsync(host)).LastJob is not null);
            await host.Jobs.Get((await YearlyAsync(host)).LastJob!.Value).WaitAsync(Ct);
            Assert.Equal(start == 0 ? ["yearly 2027-01-01 02:00"] : [], host.Board.Lines);
        }
    }

    [Fact]
    public async Task A_schedule_that_is_changed_or_removed_follows_what_was_started_last()
    {
        await using (var host = await StartAsync(static jobs => Hourly(jobs, ScheduleOverlap.Skip, ScheduleMisfire.Once)))
        {
            await ScheduleAsync(host, "hourly");
        }

        await using (var host = await StartAsync(static jobs =>
        {
            Hourly(jobs, ScheduleOverlap.Skip, ScheduleMisfire.Once);
            jobs.Schedule("hourly").Cron = "30 * * * *";
        }))
        {
            await UntilAsync(async () => (await ScheduleAsync(host, "hourly")).Next == Start.AddMinutes(30));
        }

        Time.Advance(TimeSpan.FromHours(3));
        await using (var host = await StartAsync())
        {
            await UntilAsync(async () => !(await ScheduleAsync(host, "hourly")).IsDeclared);
            Time.Advance(TimeSpan.FromHours(25));
            await UntilAsync(() => host.Board.Lines.Contains("yearly 2027-01-01 02:00"));
            Assert.DoesNotContain(host.Board.Lines, static line => line.StartsWith("gated", StringComparison.Ordinal));
        }

        await using (var host = await StartAsync())
        {
            await UntilAsync(async () => (await host.Jobs.Schedules.ListAsync(Ct)).All(static one => one.Name != "hourly"));
        }
    }

    private sealed class Resumes(IJobs jobs) : IHostedService
    {
        public async Task StartAsync(CancellationToken cancellationToken) => await jobs.ResumeAsync("Controlled/Checked", cancellationToken);

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
