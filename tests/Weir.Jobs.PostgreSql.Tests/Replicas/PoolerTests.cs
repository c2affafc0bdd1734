using Weir.Jobs.PostgreSql.Replicas;
using Weir.Jobs.PostgreSql.Tests.Servers;

namespace Weir.Jobs.PostgreSql.Tests.Replicas;

/// <summary>Behind PgBouncer in transaction mode, which takes LISTEN and passes nothing on.</summary>
public sealed class PoolerTests(PostgreSqlServer server)
{
    // A renewal comes every 100 s.
    private const double Long = 600;

    [Fact]
    public async Task Without_notifications_a_process_looks_every_second_and_the_log_says_so()
    {
        await using var pooler = await Pooler.StartAsync(server.Port);
        await using var rig = await ReplicaRig.StartAsync(server.ConnectionString, server.NewSchema());
        var member = await rig.JoinAsync(Long, pooler.ConnectionString, kinds: ("a", 1));
        var looks = member.Reports.Pauses.Count;
        await rig.JobAsync("a", JobState.Ready);
        await Recorder.UntilAsync(() => member.Reports.ReadyKinds.Count > 0 && member.Reports.Pauses.Count > looks + 2, "looks without notifications");
        var entry = Assert.Single(member.Log.Entries);
        Assert.Equal(4530, entry.Id);
        Assert.Contains("every 00:00:01", entry.Text, StringComparison.Ordinal);
        Assert.Contains("ListenConnectionString", entry.Text, StringComparison.Ordinal);
        await member.Loop.WatchAsync(Guid.NewGuid(), TestContext.Current.CancellationToken);
        await member.Loop.LeaveAsync();
        await member.Loop.DisposeAsync();
        Assert.Equal(0, await rig.CountAsync("replica"));
    }

    [Fact]
    public async Task With_a_direct_connection_to_listen_notifications_come()
    {
        await using var pooler = await Pooler.StartAsync(server.Port);
        await using var rig = await ReplicaRig.StartAsync(server.ConnectionString, server.NewSchema());
        var member = await rig.JoinAsync(Long, pooler.ConnectionString, server.ConnectionString, ("a", 1));
        await rig.SayAsync(Guid.NewGuid(), new ReplicaNews { ReadyKinds = { "a" } });
        await Recorder.UntilAsync(() => member.Reports.ReadyKinds.Count > 0, "the notification");
        Assert.Empty(member.Log.Entries);
    }

    [Fact]
    public async Task A_connection_to_listen_that_leads_nowhere_is_an_error_at_the_start()
    {
        await using var rig = await ReplicaRig.StartAsync(server.ConnectionString, server.NewSchema());
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => rig.JoinAsync(Long, listen: "Host=127.0.0.1;Port=1;Username=postgres;Database=postgres"));
        Assert.Contains("WEIR3027: ListenConnectionString leads to 127.0.0.1:1, database 'postgres', which cannot be opened", error.Message, StringComparison.Ordinal);
        Assert.Equal(0, await rig.CountAsync("replica"));
    }
}
