using System.Diagnostics;
using Weir.Jobs.PostgreSql.Replicas;
using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Tests.Replicas;

/// <summary>What processes hear of each other, at once by notifications, and with the next renewal without them.</summary>
public sealed class ReplicaNewsTests(PostgreSqlServer server)
{
    // A renewal comes every 100 s: what is heard before that was a notification.
    private const double Long = 600;

    // A renewal comes every half second, and nothing is ever late in it.
    private const double Short = 3;

    [Fact]
    public async Task A_cancellation_reaches_the_process_that_runs_the_attempt_and_no_other()
    {
        await using var rig = await StartAsync();
        var sender = await rig.JoinAsync(Long, kinds: ("a", 1));
        var runner = await rig.JoinAsync(Long, kinds: ("a", 1));
        var other = await rig.JoinAsync(Long, kinds: ("a", 1));
        var attempt = new AttemptId(Guid.NewGuid(), 7);
        var news = new ReplicaNews { Stops = { (runner.Loop.Id, attempt) }, ReadyKinds = { "a" } };
        await rig.SayAsync(sender.Loop.Id, news);
        await Recorder.UntilAsync(() => runner.Reports.Stops.Count > 0 && other.Reports.ReadyKinds.Count > 0, "the notification");
        Assert.Equal([attempt], runner.Reports.Stops);
        Assert.Empty(other.Reports.Stops);
        Assert.Empty(sender.Reports.ReadyKinds);
    }

    [Fact]
    public async Task Everything_that_a_commit_says_is_reported()
    {
        await using var rig = await StartAsync();
        var member = await rig.JoinAsync(Long, kinds: [("a", 1), ("b", 1)]);
        var (due, changed, ended) = (DateTimeOffset.UnixEpoch.AddDays(9), Guid.NewGuid(), Guid.NewGuid());
        await rig.SayAsync(Guid.NewGuid(), new ReplicaNews { ReadyKinds = { "b", "unknown" }, Due = due, Watched = { (changed, false), (ended, true) } });
        await Recorder.UntilAsync(() => member.Reports.Changes.Count == 2, "the notification");
        Assert.Equal(["b"], member.Reports.ReadyKinds);
        Assert.Equal([due], member.Reports.Dues);
        Assert.Equal([(changed, false), (ended, true)], member.Reports.Changes);
    }

    [Fact]
    public async Task What_an_application_commits_in_a_transaction_of_its_own_is_heard_by_its_own_process_too()
    {
        await using var rig = await StartAsync();
        var member = await rig.JoinAsync(Long, kinds: ("a", 1));
        await rig.SayAsync(Guid.Empty, new ReplicaNews { ReadyKinds = { "a" } });
        await Recorder.UntilAsync(() => member.Reports.ReadyKinds.Count > 0, "the notification");
    }

    [Fact]
    public async Task A_change_of_pauses_is_looked_up()
    {
        await using var rig = await StartAsync();
        var member = await rig.JoinAsync(Long, kinds: ("a", 1));
        await rig.ExecuteAsync("INSERT INTO weir_jobs.kind VALUES ('a', true), ('b', false)");
        await rig.SayAsync(Guid.NewGuid(), new ReplicaNews { Pauses = true });
        await Recorder.UntilAsync(() => member.Reports.Pauses.LastOrDefault() is ["a"], "the pause");
    }

    [Fact]
    public async Task More_than_fits_into_a_notification_is_looked_up()
    {
        await using var rig = await StartAsync();
        var member = await rig.JoinAsync(Long, kinds: ("a", 1));
        var job = await rig.JobAsync("a", JobState.Running, member.Loop.Id, JobStop.Cancel, fence: 4);
        await rig.JobAsync("a", JobState.Running, member.Loop.Id, JobStop.Timeout);
        await rig.JobAsync("a", JobState.Ready);
        var news = new ReplicaNews();
        news.Stops.AddRange(Enumerable.Range(0, 300).Select(_ => (member.Loop.Id, new AttemptId(Guid.NewGuid(), 1))));
        await rig.SayAsync(Guid.NewGuid(), news);
        await Recorder.UntilAsync(() => member.Reports.Stops.Count > 0 && member.Reports.ReadyKinds.Count > 0, "the look");
        Assert.Equal([new AttemptId(job, 4)], member.Reports.Stops);
        Assert.Equal(["a"], member.Reports.ReadyKinds);
    }

    [Fact]
    public async Task What_no_notification_said_is_found_by_the_next_renewal()
    {
        await using var rig = await StartAsync();
        var member = await rig.JoinAsync(Short, kinds: ("a", 1));
        await rig.JobAsync("a", JobState.Ready);
        await rig.JobAsync("b", JobState.Ready);
        await rig.JobAsync("a", JobState.Scheduled, due: DateTimeOffset.UnixEpoch.AddDays(9).Ticks);
        var job = await rig.JobAsync("a", JobState.Running, member.Loop.Id, JobStop.Cancel);
        await rig.ExecuteAsync("INSERT INTO weir_jobs.kind VALUES ('c', true)");
        await Recorder.UntilAsync(() => member.Reports.Pauses.LastOrDefault() is ["c"] && member.Reports.ReadyKinds.Count > 0 && member.Reports.Dues.Count > 0 && member.Reports.Stops.Count > 0, "a renewal");
        Assert.Equal(["a"], member.Reports.ReadyKinds.Distinct());
        Assert.Equal([DateTimeOffset.UnixEpoch.AddDays(9)], member.Reports.Dues.Distinct());
        Assert.Equal([new AttemptId(job, 1)], member.Reports.Stops.Distinct());

        // A job that has to begin in time may be due earlier.
        await rig.JobAsync("a", JobState.Ready, expires: DateTimeOffset.UnixEpoch.AddDays(8).Ticks);
        await Recorder.UntilAsync(() => member.Reports.Dues.Last() == DateTimeOffset.UnixEpoch.AddDays(8), "the expiry");
    }

    [Fact]
    public async Task A_connection_that_was_ended_listens_again_and_what_was_missed_is_looked_up()
    {
        await using var rig = await StartAsync();
        var member = await rig.JoinAsync(Long, kinds: ("a", 1));
        for (var times = 0; times < 5; times++)
        {
            member.Reports.Forget();
            await rig.JobAsync("a", JobState.Ready);
            await server.TerminateAsync($"application_name = '{rig.Database.SchemaName}'");
            await Recorder.UntilAsync(() => member.Reports.ReadyKinds.Count > 0, "the look after the reconnect");
            member.Reports.Forget();

            // It may look without notifications for a second: its other connections were ended, too.
            for (var start = Stopwatch.GetTimestamp(); member.Reports.Dues.Count == 0 && Stopwatch.GetElapsedTime(start) < TimeSpan.FromSeconds(60);)
            {
                await rig.SayAsync(Guid.NewGuid(), new ReplicaNews { Due = DateTimeOffset.UnixEpoch });
                await Task.Delay(50, TestContext.Current.CancellationToken);
            }

            Assert.NotEmpty(member.Reports.Dues);
        }

        // It says that the database does not answer, and answers again, where a look was on its way; not that notifications do not arrive.
        Assert.All(member.Log.Entries, static entry => Assert.True(entry.Id is 4531 or 4532, entry.Text));
    }

    [Fact]
    public async Task A_job_that_is_watched_says_so_in_its_row_as_soon_as_there_is_another_process()
    {
        await using var rig = await StartAsync();
        var member = await rig.JoinAsync(Long, kinds: ("a", 1));
        var (first, second) = (await rig.JobAsync("a", JobState.Ready), await rig.JobAsync("a", JobState.Ready));
        await Recorder.UntilAsync(() => !member.Loop.HasOthers, "the first look");
        await member.Loop.WatchAsync(first, TestContext.Current.CancellationToken);
        Assert.Equal(0, await rig.CountAsync("job WHERE watched"));
        var other = await rig.JoinAsync(Long);
        await rig.UntilCountAsync(1, $"job WHERE watched AND id = '{first}'");
        Assert.True(member.Loop.HasOthers && other.Loop.HasOthers);
        await member.Loop.WatchAsync(second, TestContext.Current.CancellationToken);
        await other.Loop.WatchAsync(second, TestContext.Current.CancellationToken);
        await other.Loop.WatchAsync(Guid.NewGuid(), TestContext.Current.CancellationToken);
        Assert.Equal(2, await rig.CountAsync("job WHERE watched"));
        await other.Loop.DisposeAsync();
        await Recorder.UntilAsync(() => !member.Loop.HasOthers, "its leaving");
    }

    [Fact]
    public async Task What_happens_to_a_job_that_is_watched_is_found_without_a_notification()
    {
        await using var rig = await StartAsync();
        var member = await rig.JoinAsync(Short, kinds: ("a", 1));
        var job = await rig.JobAsync("a", JobState.Running, member.Loop.Id);
        await member.Loop.WatchAsync(job, TestContext.Current.CancellationToken);
        await Recorder.UntilAsync(() => member.Reports.Changes.Count > 0, "the first look");
        member.Reports.Forget();
        await rig.ExecuteAsync($"UPDATE weir_jobs.job SET items = 6 WHERE id = '{job}'");
        await Recorder.UntilAsync(() => member.Reports.Changes.Count > 0, "the item");
        await rig.ExecuteAsync($"UPDATE weir_jobs.job SET progress_text = 'half' WHERE id = '{job}'");
        await Recorder.UntilAsync(() => member.Reports.Changes.Count > 1, "the progress");
        await rig.ExecuteAsync($"DELETE FROM weir_jobs.job WHERE id = '{job}'");
        await Recorder.UntilAsync(() => member.Reports.Changes.Count > 2, "the end");
        Assert.Equal([(job, false), (job, false), (job, true)], member.Reports.Changes);
    }

    [Fact]
    public async Task Versions_of_others_count_as_long_as_they_run_the_kind()
    {
        await using var rig = await StartAsync();
        var one = await rig.JoinAsync(Long, kinds: [("a", 1), ("b", 1)]);
        Assert.Empty(one.Foreign("a"));
        var two = await rig.JoinAsync(Long, kinds: [("a", ulong.MaxValue), ("b", 1), ("c", 5)]);
        Assert.Equal([1], two.Foreign("a"));
        await Recorder.UntilAsync(() => one.Foreign("a") is [-1], "the version of the second");
        Assert.Empty(one.Foreign("b"));
        await two.Loop.LeaveAsync();
        await Recorder.UntilAsync(() => one.Foreign("a") is [], "its leaving");
        await two.Loop.LeaveAsync();
        Assert.Equal(1, await rig.CountAsync($"replica WHERE id = '{two.Loop.Id}'"));

        // Jobs that only the other understood may be for this one now.
        await rig.JobAsync("a", JobState.Ready);
        one.Reports.Forget();
        var three = await rig.JoinAsync(Long, kinds: ("a", 3));
        await three.Loop.DisposeAsync();
        await Recorder.UntilAsync(() => one.Reports.ReadyKinds.Contains("a") && one.Foreign("a") is [], "its end");
    }

    [Fact]
    public async Task A_process_that_was_idle_sends_one_batch_for_each_renewal_and_nothing_else()
    {
        await using var rig = await StartAsync();
        var member = await rig.JoinAsync(Short, kinds: ("a", 1));
        await Recorder.UntilAsync(() => member.Reports.Pauses.Count > 2, "three looks");
        var start = Stopwatch.GetTimestamp();
        var looks = member.Reports.Pauses.Count;
        await Recorder.UntilAsync(() => member.Reports.Pauses.Count >= looks + 6, "a lease");

        // At most one for each sixth of the lease.
        Assert.True(Stopwatch.GetElapsedTime(start) > TimeSpan.FromSeconds(Short * 4.5 / 6));
    }

    private Task<ReplicaRig> StartAsync() => ReplicaRig.StartAsync(server.ConnectionString, server.NewSchema());
}
