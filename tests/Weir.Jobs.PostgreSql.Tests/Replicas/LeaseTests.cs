using System.Diagnostics;
using System.Globalization;
using Npgsql;
using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Tests.Replicas;

/// <summary>Who is presumed lost, and when.</summary>
public sealed class LeaseTests(PostgreSqlServer server)
{
    private const double Lease = 3;

    [Fact]
    public async Task Attempts_of_a_killed_process_are_reported_after_its_lease_to_those_that_run_the_kind()
    {
        await using var rig = await StartAsync();
        var (one, two) = (await rig.JoinAsync(Lease, kinds: ("a", 1)), await rig.JoinAsync(Lease, kinds: [("b", 1), ("c", 1)]));
        var gone = await rig.GoneAsync(("a", 1), ("b", 1));
        var (a, b) = (await rig.JobAsync("a", JobState.Running, gone, fence: 3), await rig.JobAsync("b", JobState.Running, gone, fence: 4));
        await rig.JobAsync("a", JobState.Running, one.Loop.Id);

        // As long as it renews, it is not lost, although the others had answers for two leases.
        var renewed = 0L;
        var start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < TimeSpan.FromSeconds(2.5 * Lease))
        {
            renewed = Stopwatch.GetTimestamp();
            await rig.ExecuteAsync($"UPDATE weir_jobs.replica SET renewed = clock_timestamp() WHERE id = '{gone}'");
            await Task.Delay(100, TestContext.Current.CancellationToken);
        }

        Assert.Empty(one.Reports.LostAttempts);
        Assert.Empty(two.Reports.LostAttempts);
        await Recorder.UntilAsync(() => one.Reports.LostAttempts.Count > 0, "the loss");
        Assert.True(Stopwatch.GetElapsedTime(renewed) >= TimeSpan.FromSeconds(Lease));
        await Recorder.UntilAsync(() => two.Reports.LostAttempts.Count > 0, "the loss of the other kind");

        // They are reported until their outcome is written.
        await Recorder.UntilAsync(() => one.Reports.LostAttempts.Count > 2 && two.Reports.LostAttempts.Count > 2, "further reports");
        Assert.Equal([new LostAttempt(a, "a", 3, 5)], one.Reports.LostAttempts.Distinct());
        Assert.Equal([new LostAttempt(b, "b", 4, 5)], two.Reports.LostAttempts.Distinct());
        Assert.Equal(1, one.Log.Entries.Concat(two.Log.Entries).Count(static entry => entry.Id == 4534));

        // The row stays as long as one runs.
        Assert.Equal(1, await rig.CountAsync($"replica WHERE id = '{gone}' AND lost"));
        await rig.ExecuteAsync($"DELETE FROM weir_jobs.job WHERE replica = '{gone}'");
        await rig.UntilCountAsync(0, $"replica WHERE id = '{gone}'");
        Assert.Equal(0, await rig.CountAsync($"replica_kind WHERE replica = '{gone}'"));
    }

    [Fact]
    public async Task Attempts_that_a_process_does_not_run_although_the_database_says_so_are_lost_after_a_lease()
    {
        await using var rig = await StartAsync();
        var member = await rig.JoinAsync(Lease, kinds: ("a", 1));
        var (runs, orphan) = (await rig.JobAsync("a", JobState.Running, member.Loop.Id), await rig.JobAsync("a", JobState.Running, member.Loop.Id));
        var start = Stopwatch.GetTimestamp();
        member.Reports.Running = attempt => attempt.Id == runs;
        await Recorder.UntilAsync(() => member.Reports.LostAttempts.Count > 0, "the loss");
        Assert.True(Stopwatch.GetElapsedTime(start) >= TimeSpan.FromSeconds(Lease));
        Assert.Equal([orphan], member.Reports.LostAttempts.Select(static one => one.Id).Distinct());
    }

    [Fact]
    public async Task Attempts_of_a_process_without_a_row_are_lost()
    {
        await using var rig = await StartAsync();
        var member = await rig.JoinAsync(Lease, kinds: ("a", 1));
        var job = await rig.JobAsync("a", JobState.Running, Guid.NewGuid());
        await Recorder.UntilAsync(() => member.Reports.LostAttempts.Count > 0, "the loss");
        Assert.Equal(job, member.Reports.LostAttempts.First().Id);
    }

    [Theory]
    [InlineData("KEY SHARE")]
    [InlineData("SHARE")]
    public async Task A_process_with_a_claim_on_its_way_is_not_presumed_lost(string strength)
    {
        await using var rig = await StartAsync();
        var member = await rig.JoinAsync(Lease, kinds: ("a", 1));
        var (claiming, gone) = (await rig.GoneAsync(), await rig.GoneAsync());
        await using (var connection = await rig.Database.OpenAsync(default))
        {
            await using var transaction = await connection.BeginTransactionAsync();
            await using var claim = new NpgsqlCommand($"SELECT 1 FROM {rig.Database.Schema}.replica WHERE id = '{claiming}' AND NOT lost FOR {strength}", connection);
            Assert.Equal(1, await claim.ExecuteScalarAsync());
            await rig.UntilCountAsync(0, $"replica WHERE id = '{gone}'");
            Assert.Equal(1, await rig.CountAsync($"replica WHERE id = '{claiming}' AND NOT lost"));
            await transaction.CommitAsync();
        }

        await rig.UntilCountAsync(0, $"replica WHERE id = '{claiming}'");
        Assert.Equal(0, member.Reports.LeasesLost);
    }

    [Fact]
    public async Task Versions_of_a_lost_process_count_no_more()
    {
        await using var rig = await StartAsync();
        var member = await rig.JoinAsync(Lease, kinds: ("a", 1));
        await rig.GoneAsync(("a", 3));
        await Recorder.UntilAsync(() => member.Foreign("a") is [3], "the version");
        await Recorder.UntilAsync(() => member.Foreign("a") is [] && !member.Loop.HasOthers, "the loss");
    }

    [Fact]
    public async Task A_process_that_could_not_renew_loses_its_lease_and_returns_under_another_id()
    {
        await using var rig = await StartAsync();
        using var proxy = new StallingProxy(server.Port);
        var one = await rig.JoinAsync(Lease, kinds: ("a", 1));
        var two = await rig.JoinAsync(Lease, proxy.ConnectionString, kinds: ("a", 2));
        var before = two.Loop.Id;
        var job = await rig.JobAsync("a", JobState.Running, before, fence: 9);
        await Recorder.UntilAsync(() => two.Reports.Pauses.Count > 2, "some renewals");
        proxy.Stall();

        // It knows by its own clock, before the others do.
        await Recorder.UntilAsync(() => two.Reports.LeasesLost == 1, "its lease");
        await Recorder.UntilAsync(() => one.Reports.LostAttempts.Count > 0, "the loss");
        Assert.Equal([new LostAttempt(job, "a", 9, 5)], one.Reports.LostAttempts.Distinct());
        Assert.Equal(before, two.Loop.Id);
        await rig.ExecuteAsync($"UPDATE weir_jobs.job SET stop = 1 WHERE id = '{job}'");
        proxy.Flow();
        await Recorder.UntilAsync(() => two.Loop.Id != before, "another id");
        await rig.UntilCountAsync(1, $"replica WHERE id = '{two.Loop.Id}' AND NOT lost");
        Assert.Equal(1, await rig.CountAsync($"replica_kind WHERE replica = '{two.Loop.Id}' AND signature = 2"));
        Assert.Equal(1, two.Reports.LeasesLost);

        // What it ran before is still its own to stop, and not lost to itself.
        await Recorder.UntilAsync(() => two.Reports.Stops.Count > 0, "the cancellation");
        Assert.Equal([new AttemptId(job, 9)], two.Reports.Stops.Distinct());
        Assert.Empty(two.Reports.LostAttempts);
        Assert.Equal([4531, 4533], two.Log.Entries.Select(static entry => entry.Id).Where(static id => id != 4530).Order());
    }

    [Fact]
    public async Task A_process_that_finds_itself_lost_says_so_and_returns()
    {
        await using var rig = await StartAsync();
        var member = await rig.JoinAsync(Lease, kinds: ("a", 1));
        await member.Loop.LeaveAsync();
        for (var times = 1; times <= 3; times++)
        {
            var before = member.Loop.Id;
            await rig.ExecuteAsync($"UPDATE weir_jobs.replica SET lost = true WHERE id = '{before}'");
            await Recorder.UntilAsync(() => member.Loop.Id != before && member.Reports.LeasesLost == times, "another id");
        }

        // It has left: it does not run kinds again.
        await rig.UntilCountAsync(1, $"replica WHERE id = '{member.Loop.Id}'");
        Assert.Equal(0, await rig.CountAsync("replica_kind"));
    }

    [Fact]
    public async Task A_server_that_stops_makes_no_process_lost()
    {
        await using var own = new ServerProcess("", []);
        await own.StartAsync();
        await using var rig = await ReplicaRig.StartAsync(own.ConnectionString, "stopped");
        List<ReplicaRig.Member> members = [];
        for (var count = 0; count < 3; count++)
        {
            members.Add(await rig.JoinAsync(Lease, kinds: ("a", 1)));
            await rig.JobAsync("a", JobState.Running, members[^1].Loop.Id);
        }

        var ids = members.Select(static member => member.Loop.Id).ToArray();
        for (var times = 1; times <= 2; times++)
        {
            // All have had answers for more than a lease: they would declare.
            var looks = members.Max(static member => member.Reports.Pauses.Count) + 10;
            await Recorder.UntilAsync(() => members.All(member => member.Reports.Pauses.Count >= looks), "a lease and a half");
            Signal(own.Id, "STOP");
            try
            {
                await Recorder.UntilAsync(() => members.All(member => member.Reports.LeasesLost == times), "the leases");
                await Task.Delay(TimeSpan.FromSeconds(Lease), TestContext.Current.CancellationToken);
            }
            finally
            {
                Signal(own.Id, "CONT");
            }
        }

        var after = members.Max(static member => member.Reports.Pauses.Count) + 10;
        await Recorder.UntilAsync(() => members.All(member => member.Reports.Pauses.Count >= after), "a lease and a half after it");
        Assert.All(members, static member => Assert.Empty(member.Reports.LostAttempts));
        Assert.Equal(ids, members.Select(static member => member.Loop.Id));
        Assert.All(members, static member => Assert.Equal(2, member.Reports.LeasesLost));

        // And yet one that is gone is found.
        var gone = await rig.GoneAsync();
        await rig.UntilCountAsync(0, $"replica WHERE id = '{gone}'");
    }

    [Fact]
    public async Task A_process_that_ends_deletes_its_row_unless_something_of_it_runs()
    {
        await using var rig = await StartAsync();
        var (idle, busy) = (await rig.JoinAsync(Lease, kinds: ("a", 1)), await rig.JoinAsync(Lease, kinds: ("a", 1)));
        await rig.JobAsync("a", JobState.Running, busy.Loop.Id);
        await idle.Loop.DisposeAsync();
        await busy.Loop.DisposeAsync();
        Assert.Equal(1, await rig.CountAsync("replica"));
        Assert.Equal(1, await rig.CountAsync($"replica WHERE id = '{busy.Loop.Id}'"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_process_ends_within_a_second_where_its_server_does_not_answer(bool renews)
    {
        await using var rig = await StartAsync();
        using var proxy = new StallingProxy(server.Port);
        var member = await rig.JoinAsync(renews ? Lease : 600, proxy.ConnectionString, kinds: ("a", 1));
        proxy.Stall();
        if (renews)
        {
            await Recorder.UntilAsync(() => member.Log.Entries.Any(static entry => entry.Id == 4531), "a renewal that is not answered");
        }

        var leaving = member.Loop.LeaveAsync().AsTask();
        var start = Stopwatch.GetTimestamp();
        await member.Loop.DisposeAsync();
        Assert.True(Stopwatch.GetElapsedTime(start) < TimeSpan.FromSeconds(2), string.Create(CultureInfo.InvariantCulture, $"{Stopwatch.GetElapsedTime(start)}"));
        await Assert.ThrowsAsync<JobStoreException>(() => leaving);
    }

    private static void Signal(int server, string signal)
    {
        List<int> processes = [server];
        foreach (var folder in Directory.GetDirectories("/proc"))
        {
            if (int.TryParse(Path.GetFileName(folder), CultureInfo.InvariantCulture, out var id) && ParentOf(id) == server)
            {
                processes.Add(id);
            }
        }

        // The server last, so that it does not find its children stopped.
        processes.Reverse();
        using var kill = Process.Start("kill", [$"-{signal}", .. processes.Select(static id => id.ToString(CultureInfo.InvariantCulture))]);
        kill.WaitForExit();
    }

    private static int ParentOf(int id)
    {
        try
        {
            var stat = File.ReadAllText($"/proc/{id}/stat");
            return int.Parse(stat[(stat.LastIndexOf(')') + 2)..].Split(' ')[1], CultureInfo.InvariantCulture);
        }
        catch (IOException)
        {
            return 0;
        }
    }

    private Task<ReplicaRig> StartAsync() => ReplicaRig.StartAsync(server.ConnectionString, server.NewSchema());
}
