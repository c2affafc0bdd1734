using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Weir.Jobs.Running;
using Weir.Tests;

namespace Weir.Jobs.Tests.Running;

/// <summary>When jobs run, how many at once, and how long they are kept, whatever the store. The clock stands until a test moves it.</summary>
public abstract class JobsControlCompliance
{
    private protected static readonly DateTimeOffset Start = new(2026, 12, 31, 12, 0, 0, TimeSpan.Zero);

    private protected ManualTime Time { get; } = new() { Origin = Start };

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    // ---- limits ----

    [Fact]
    public async Task Of_one_key_only_as_many_run_as_may_and_other_keys_run_beside_them()
    {
        await using var host = await StartAsync();
        var jobs = host.Get<IJobs<IControlledClient>>();
        var first = await jobs.EnqueueAsync(one => one.Charge("a", "1"), cancellationToken: Ct);
        var second = await jobs.EnqueueAsync(one => one.Charge("a", "2"), cancellationToken: Ct);
        var other = await jobs.EnqueueAsync(one => one.Charge("b", "3"), cancellationToken: Ct);
        await UntilAsync(() => host.Board.Lines.Count == 2);
        host.Board.Open("3");
        await other.ResultAsync(Ct);
        Assert.Equal(["start a 1", "start b 3", "end b 3"], host.Board.Lines);
        Assert.Equal(JobState.Ready, (await second.GetAsync(Ct))!.State);

        host.Board.Open("1");
        await first.ResultAsync(Ct);
        host.Board.Open("2");
        await second.ResultAsync(Ct);
        Assert.Equal(["end a 1", "start a 2", "end a 2"], host.Board.Lines.Skip(3));
    }

    [Fact]
    public async Task A_key_is_free_again_when_its_job_was_cancelled_or_failed()
    {
        await using var host = await StartAsync();
        var jobs = host.Get<IJobs<IControlledClient>>();
        var running = await jobs.EnqueueAsync(one => one.Charge("a", "never"), cancellationToken: Ct);
        var next = await jobs.EnqueueAsync(one => one.Charge("a", "open"), cancellationToken: Ct);
        host.Board.Open("open");
        await UntilAsync(() => host.Board.Lines.Count == 1);
        await running.CancelAsync(Ct);
        await next.ResultAsync(Ct);
        Assert.Equal(JobState.Cancelled, (await running.WaitAsync(Ct)).State);
    }

    [Fact]
    public async Task High_priorities_go_before_those_that_were_submitted_earlier()
    {
        await using var host = await StartAsync();
        var jobs = host.Get<IJobs<IControlledClient>>();
        await jobs.EnqueueAsync(one => one.OneAtATime("first", "gate"), cancellationToken: Ct);
        await UntilAsync(() => host.Board.Lines.Count == 1);
        List<Job<string>> waiting = [];
        foreach (var priority in new[] { JobPriority.Low, JobPriority.Normal, JobPriority.High })
        {
            waiting.Add(await jobs.EnqueueAsync(one => one.OneAtATime($"{priority}", "gate"), new JobOptions { Priority = priority }, Ct));
        }

        Assert.Equal(JobPriority.Low, (await waiting[0].GetAsync(Ct))!.Priority);
        host.Board.Open("gate");
        foreach (var job in waiting)
        {
            await job.ResultAsync(Ct);
        }

        // The first one had a turn of normal priority.
        Assert.Equal(["first", "High", "Normal", "Low"], host.Board.Lines);
    }

    [Fact]
    public async Task A_submission_is_refused_while_as_many_jobs_wait_as_may()
    {
        await using var host = await StartAsync(jobs => jobs.Kind("Controlled/Checked").MaxWaiting = 3);
        await host.Jobs.PauseAsync("controlled/checked", Ct);
        for (var number = 1; number <= 3; number++)
        {
            await CheckAsync(host, number);
        }

        var refusal = await Assert.ThrowsAsync<CallRejectedException>(() => CheckAsync(host, 4));
        Assert.Equal((WeirCodes.TooManyWaitingJobs, TimeSpan.FromSeconds(10)), (refusal.Code, refusal.RetryAfter));
        Assert.Contains("MaxWaiting", refusal.Message, StringComparison.Ordinal);

        // A submission that is repeated is still answered with its job.
        await Assert.ThrowsAsync<CallRejectedException>(async () => await host.Get<IJobs<IControlledClient>>().EnqueueAsync(one => one.Checked(5), new JobOptions { IdempotencyKey = "k" }, Ct));
        await host.Jobs.ResumeAsync("Controlled/Checked", Ct);
        await UntilAsync(async () => (await host.Jobs.ListAsync(new JobQuery { State = JobState.Succeeded }, Ct)).Count == 3);
        await (await CheckAsync(host, 5)).ResultAsync(Ct);
    }

    [Fact]
    public async Task A_job_that_waits_for_its_key_starts_when_it_is_edited_to_another_key()
    {
        await using var host = await StartAsync();
        var jobs = host.Get<IJobs<IControlledClient>>();
        var running = await jobs.EnqueueAsync(one => one.Charge("a", "later"), cancellationToken: Ct);
        var waiting = await jobs.EnqueueAsync(one => one.Charge("a", "open"), cancellationToken: Ct);
        host.Board.Open("open");
        await UntilAsync(() => host.Board.Lines.Count == 1);
        Assert.Equal(JobState.Ready, (await waiting.GetAsync(Ct))!.State);
        Assert.Equal("b", (await jobs.EditAsync(waiting.Id, one => one.Charge("b", "open"), Ct)).Key);
        await waiting.ResultAsync(Ct);
        host.Board.Open("later");
        await running.ResultAsync(Ct);
    }

    // ---- pauses ----

    [Fact]
    public async Task A_paused_kind_accepts_jobs_and_runs_them_when_it_is_resumed()
    {
        await using var host = await StartAsync();
        await host.Jobs.PauseAsync("Controlled/Checked", Ct);
        Assert.Equal(["Controlled/Checked"], (await host.Jobs.KindsAsync(Ct)).Where(static kind => kind.IsPaused).Select(static kind => kind.Name));
        var job = await CheckAsync(host, 1);
        var other = await host.Reports.EnqueueAsync(reports => reports.Build("a", 1), cancellationToken: Ct);
        await other.ResultAsync(Ct);
        Assert.Equal(JobState.Ready, (await job.GetAsync(Ct))!.State);

        var report = await host.Get<HealthCheckService>().CheckHealthAsync(Ct);
        Assert.Equal(HealthStatus.Degraded, report.Status);
        Assert.Contains("Controlled/Checked (1)", report.Entries["weir-jobs"].Description, StringComparison.Ordinal);

        await host.Jobs.ResumeAsync("Controlled/Checked", Ct);
        Assert.Equal("1 none 0", await job.ResultAsync(Ct));
        Assert.Equal(HealthStatus.Healthy, (await host.Get<HealthCheckService>().CheckHealthAsync(Ct)).Status);
        await Assert.ThrowsAsync<ArgumentException>(async () => await host.Jobs.PauseAsync("Reports/Nothing", Ct));
    }

    // ---- time ----

    [Fact]
    public async Task A_job_that_has_not_begun_in_time_expires_and_runs_when_it_is_begun_again_by_hand()
    {
        await using var host = await StartAsync();
        await host.Jobs.PauseAsync("Controlled/Checked", Ct);
        var job = await host.Get<IJobs<IControlledClient>>().EnqueueAsync(one => one.Checked(1), new JobOptions { ExpiresAfter = TimeSpan.FromMinutes(1) }, Ct);
        Assert.Equal(Start.AddMinutes(1), (await job.GetAsync(Ct))!.Expires);
        Time.Advance(TimeSpan.FromSeconds(61));
        Assert.Equal(JobState.Expired, (await job.WaitAsync(Ct)).State);
        Assert.Equal(JobState.Expired, (await Assert.ThrowsAsync<JobException>(() => job.ResultAsync(Ct))).State);

        await host.Jobs.ResumeAsync("Controlled/Checked", Ct);
        await host.Jobs.RetryAsync(job.Id, Ct);
        Assert.Equal("1 none 0", await job.ResultAsync(Ct));
    }

    [Theory]
    [InlineData("ExpiresAfter is 00:00:00", 0, 0)]
    [InlineData("could never begin", 60, 60)]
    [InlineData("could never begin", 60, 61)]
    public async Task A_time_in_which_a_job_can_not_begin_is_refused(string expected, int expiresAfter, int after)
    {
        await using var host = await StartAsync();
        var options = new JobOptions { ExpiresAfter = TimeSpan.FromSeconds(expiresAfter), After = TimeSpan.FromSeconds(after) };
        var refusal = await Assert.ThrowsAsync<ArgumentException>(async () => await host.Reports.EnqueueAsync(reports => reports.Build("a", 1), options, Ct));
        Assert.Contains(expected, refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_job_that_is_due_later_runs_then_and_sees_when_it_was_due()
    {
        await using var host = await StartAsync();
        var job = await host.Reports.EnqueueAsync(reports => reports.Build("a", 1), new JobOptions { After = TimeSpan.FromHours(5) }, Ct);
        Time.Advance(TimeSpan.FromHours(4));
        Assert.Equal(JobState.Scheduled, (await job.GetAsync(Ct))!.State);
        Time.Advance(TimeSpan.FromHours(1));
        await job.ResultAsync(Ct);
    }

    // ---- keys that are unique ----

    [Fact]
    public async Task A_key_that_is_unique_until_the_job_has_ended_is_free_afterwards()
    {
        await using var host = await StartAsync();
        await host.Jobs.PauseAsync("Controlled/Checked", Ct);
        var options = new JobOptions { IdempotencyKey = "k", UniqueUntil = JobUniqueness.Ended };
        var jobs = host.Get<IJobs<IControlledClient>>();
        var first = await jobs.EnqueueAsync(one => one.Checked(1), options, Ct);
        var same = await jobs.EnqueueAsync(one => one.Checked(2), options, Ct);
        Assert.Equal((first.Id, true), (same.Id, same.IsExisting));
        await host.Jobs.ResumeAsync("Controlled/Checked", Ct);
        Assert.Equal("1 none 0", await same.ResultAsync(Ct));
        var next = await jobs.EnqueueAsync(one => one.Checked(3), options, Ct);
        Assert.False(next.IsExisting);
        Assert.Equal("3 none 0", await next.ResultAsync(Ct));
        await Assert.ThrowsAsync<ArgumentException>(async () => await jobs.EnqueueAsync(one => one.Checked(1), new JobOptions { UniqueUntil = JobUniqueness.Ended }, Ct));
    }

    // ---- edits ----

    [Fact]
    public async Task Arguments_are_edited_like_those_of_a_call_and_the_old_ones_are_kept()
    {
        await using var host = await StartAsync();
        await host.Jobs.PauseAsync("Controlled/Checked", Ct);
        var jobs = host.Get<IJobs<IControlledClient>>();
        var job = await jobs.EnqueueAsync(one => one.Checked(1, "one", new byte[7]), cancellationToken: Ct);
        Assert.Equal("""{"number":1,"text":"one"}""", await host.Jobs.ArgumentsAsync(job.Id, Ct));

        var invalid = await Assert.ThrowsAsync<BindingException>(async () => await host.Jobs.EditAsync(job.Id, """{"number":"many","text":7}""", Ct));
        Assert.Equal(["number", "text"], invalid.Errors.Select(static error => error.Name));
        var outside = await Assert.ThrowsAsync<BindingException>(async () => await host.Jobs.EditAsync(job.Id, """{"number":11}""", Ct));
        Assert.Equal("number", Assert.Single(outside.Errors).Name);
        await Assert.ThrowsAsync<BindingException>(async () => await host.Jobs.EditAsync(job.Id, "not JSON", Ct));
        await Assert.ThrowsAsync<BindingException>(async () => await jobs.EditAsync(job.Id, one => one.Checked(0), Ct));
        Assert.Equal("""{"number":1,"text":"one"}""", await host.Jobs.ArgumentsAsync(job.Id, Ct));

        await host.Jobs.EditAsync(job.Id, """{"number":2,"text":"two"}""", Ct);
        await jobs.EditAsync(job.Id, one => one.Checked(3, "three", new byte[1]), Ct);
        var attempts = await host.Jobs.AttemptsAsync(job.Id, Ct);
        Assert.Equal([("edited", """{"number":1,"text":"one"}"""), ("edited", """{"number":2,"text":"two"}""")], attempts.Select(static attempt => (attempt.Outcome, attempt.Arguments)));
        await host.Jobs.ResumeAsync("Controlled/Checked", Ct);
        Assert.Equal("3 three 1", await job.ResultAsync(Ct));
        Assert.Equal(JobState.Succeeded, (await Assert.ThrowsAsync<JobException>(async () => await host.Jobs.EditAsync(job.Id, """{"number":2}""", Ct))).State);
    }

    [Fact]
    public async Task Bytes_stay_when_the_other_arguments_are_edited()
    {
        await using var host = await StartAsync();
        await host.Jobs.PauseAsync("Controlled/Checked", Ct);
        var job = await host.Get<IJobs<IControlledClient>>().EnqueueAsync(one => one.Checked(1, "one", new byte[7]), cancellationToken: Ct);
        await host.Jobs.EditAsync(job.Id, """{"number":2}""", Ct);
        await host.Jobs.ResumeAsync("Controlled/Checked", Ct);
        Assert.Equal("2 none 7", await job.ResultAsync(Ct));
    }

    [Fact]
    public async Task A_job_that_failed_is_edited_and_begun_again()
    {
        await using var host = await StartAsync();
        var jobs = host.Get<IJobs<IControlledClient>>();
        var job = await jobs.EnqueueAsync(one => one.FailsUnless("wrong"), cancellationToken: Ct);
        Assert.Equal("'wrong' is not right.", (await job.WaitAsync(Ct)).Error);
        Assert.Equal("'wrong' is not right.", (await jobs.EditAsync(job.Id, one => one.FailsUnless("right"), Ct)).Error);
        await host.Jobs.RetryAsync(job.Id, Ct);
        Assert.Equal("right", await job.ResultAsync(Ct));
        var wrong = await Assert.ThrowsAsync<JobException>(async () => await jobs.EditAsync(job.Id, one => one.Checked(1), Ct));
        Assert.Contains("Controlled/FailsUnless", wrong.Message, StringComparison.Ordinal);
    }

    // ---- schedules ----

    [Fact]
    public async Task A_schedule_makes_one_job_for_each_occurrence()
    {
        await using var host = await StartAsync();
        Assert.Equal(new DateTimeOffset(2027, 1, 1, 2, 0, 0, TimeSpan.Zero), (await YearlyAsync(host)).Next);
        Time.Advance(TimeSpan.FromHours(14));
        await UntilAsync(() => host.Board.Lines.Count == 1);
        var schedule = await YearlyAsync(host);
        Assert.Equal((new DateTimeOffset(2028, 1, 1, 2, 0, 0, TimeSpan.Zero), new DateTimeOffset(2027, 1, 1, 2, 0, 0, TimeSpan.Zero)), (schedule.Next, schedule.LastDue));
        Assert.Equal("Controlled/Yearly", (await host.Jobs.Get(schedule.LastJob!.Value).WaitAsync(Ct)).Kind);
        for (var day = 0; day < 30; day++)
        {
            Time.Advance(TimeSpan.FromDays(1));
        }

        Assert.Equal(["yearly 2027-01-01 02:00"], host.Board.Lines);
    }

    [Fact]
    public async Task A_schedule_is_paused_resumed_and_run_by_hand()
    {
        await using var host = await StartAsync();
        await YearlyAsync(host);
        await host.Jobs.Schedules.PauseAsync("controlled/yearly", Ct);
        Time.Advance(TimeSpan.FromDays(2));
        var ran = await host.Jobs.Schedules.RunAsync("Controlled/Yearly", Ct);
        await ran.ResultAsync(Ct);
        Assert.Equal(["yearly 2027-01-02 12:00"], host.Board.Lines);
        Assert.True((await YearlyAsync(host)).IsPaused);

        await host.Jobs.Schedules.ResumeAsync("Controlled/Yearly", Ct);
        Assert.Equal((false, new DateTimeOffset(2028, 1, 1, 2, 0, 0, TimeSpan.Zero)), ((await YearlyAsync(host)).IsPaused, (await YearlyAsync(host)).Next));
        Assert.Single(host.Board.Lines);
        await Assert.ThrowsAsync<ArgumentException>(async () => await host.Jobs.Schedules.PauseAsync("nothing", Ct));
        await Assert.ThrowsAsync<ArgumentException>(async () => await host.Jobs.Schedules.RunAsync("nothing", Ct));
    }

    [Theory]
    [InlineData(ScheduleOverlap.Skip, 1)]
    [InlineData(ScheduleOverlap.Queue, 3)]
    public async Task While_the_last_job_of_a_schedule_runs_its_next_one_is_left_out_or_waits(ScheduleOverlap overlap, int jobs)
    {
        await using var host = await StartAsync(options => Hourly(options, overlap, ScheduleMisfire.Once));
        await ScheduleAsync(host, "hourly");
        for (var hour = 1; hour <= 3; hour++)
        {
            Time.Advance(TimeSpan.FromHours(1));
            await UntilAsync(async () => (await ScheduleAsync(host, "hourly")).Next == Start.AddHours(hour + 1));
        }

        Assert.Equal(jobs, (await host.Jobs.ListAsync(new JobQuery { Kind = "Controlled/Gated" }, Ct)).Count);
        host.Board.Open("hourly");
        await UntilAsync(() => host.Board.Lines.Count == jobs);
    }

    [Theory]
    [InlineData(ScheduleMisfire.Once, "gated 17:00", "gated 18:00")]
    [InlineData(ScheduleMisfire.Skip, "gated 18:00")]
    public async Task Occurrences_that_were_missed_are_one_run_or_none(ScheduleMisfire misfire, params string[] expected)
    {
        await using var host = await StartAsync(options => Hourly(options, ScheduleOverlap.Queue, misfire));
        host.Board.Open("hourly");
        await ScheduleAsync(host, "hourly");

        // The clock jumps, so that no store sees a time between. It is noticed within a minute.
        Time.Origin += TimeSpan.FromHours(5.5);
        Time.Advance(TimeSpan.FromMinutes(1.1));
        await UntilAsync(async () => (await ScheduleAsync(host, "hourly")).Next == Start.AddHours(6));
        Time.Advance(TimeSpan.FromMinutes(29));
        await UntilAsync(async () => (await ScheduleAsync(host, "hourly")).Next == Start.AddHours(7));
        await UntilAsync(() => host.Board.Lines.Count >= expected.Length);
        Assert.Equal(expected, host.Board.Lines.Order(StringComparer.Ordinal));
        Assert.Equal(expected.Length, (await host.Jobs.ListAsync(new JobQuery { Kind = "Controlled/Gated" }, Ct)).Count);
    }

    [Fact]
    public async Task A_schedule_that_cannot_be_computed_fails_alone_and_degrades_health()
    {
        await using var host = await StartAsync(options =>
        {
            Hourly(options, ScheduleOverlap.Skip, ScheduleMisfire.Once);
            options.Schedule("never").Kind = "Controlled/Gated";
            options.Schedule("never").Cron = "0 0 30 2 *";
        });
        host.Board.Open("hourly");
        var never = await ScheduleAsync(host, "never");
        Assert.Equal((null, true), (never.Next, never.Error?.Contains("never occurs", StringComparison.Ordinal)));
        var report = await host.Get<HealthCheckService>().CheckHealthAsync(Ct);
        Assert.Equal(HealthStatus.Degraded, report.Status);
        Assert.Contains("Schedules make no jobs: never", report.Entries["weir-jobs"].Description, StringComparison.Ordinal);
        Time.Advance(TimeSpan.FromHours(1));
        await UntilAsync(() => host.Board.Lines.Count == 1);
    }

    [Fact]
    public async Task When_the_clock_is_set_back_no_occurrence_comes_twice()
    {
        await using var host = await StartAsync(options => Hourly(options, ScheduleOverlap.Queue, ScheduleMisfire.Once));
        host.Board.Open("hourly");
        await ScheduleAsync(host, "hourly");
        Time.Advance(TimeSpan.FromHours(1));
        await UntilAsync(() => host.Board.Lines.Count == 1);
        Time.Origin -= TimeSpan.FromMinutes(150);
        Time.Advance(TimeSpan.FromMinutes(100));
        Assert.Equal(Start.AddHours(2), (await ScheduleAsync(host, "hourly")).Next);
        Assert.Single(host.Board.Lines);
    }

    // ---- the rest ----

    private protected abstract void Choose(WeirJobsOptions jobs);

    private protected async Task<JobsHost> StartAsync(Action<WeirJobsOptions>? configure = null)
    {
        var host = await JobsHost.StartAsync(
            jobs =>
            {
                Choose(jobs);
                configure?.Invoke(jobs);
            },
            time: Time,
            services: static services => services.AddHealthChecks().AddWeirJobs());

        // From here on what waits is counted exactly: the store does not count again before the clock moves.
        await host.Get<JobEngine>().Backlog.Refresh();
        return host;
    }

    // A host declares its schedules when it has started, and does not wait for it.
    private protected static async Task<JobSchedule> ScheduleAsync(JobsHost host, string name)
    {
        JobSchedule? found = null;
        await UntilAsync(async () => (found = (await host.Jobs.Schedules.ListAsync(Ct)).FirstOrDefault(schedule => schedule.Name == name)) is not null);
        return found!;
    }

    private protected static Task<JobSchedule> YearlyAsync(JobsHost host) => ScheduleAsync(host, "Controlled/Yearly");

    private protected static void Hourly(WeirJobsOptions options, ScheduleOverlap overlap, ScheduleMisfire misfire)
    {
        var schedule = options.Schedule("hourly");
        (schedule.Kind, schedule.Cron, schedule.Arguments, schedule.Overlap, schedule.Misfire) = ("Controlled/Gated", "0 * * * *", """{"gate":"hourly"}""", overlap, misfire);
    }

    // What happens beside the test is waited for by asking: nothing else says that it has happened.
    private protected static async Task UntilAsync(Func<Task<bool>> isTrue)
    {
        while (!await isTrue())
        {
            await Task.Delay(5, Ct);
        }
    }

    private protected static Task UntilAsync(Func<bool> isTrue) => UntilAsync(() => Task.FromResult(isTrue()));

    private static async Task<Job<string>> CheckAsync(JobsHost host, int number) => await host.Get<IJobs<IControlledClient>>().EnqueueAsync(one => one.Checked(number), cancellationToken: Ct);
}
