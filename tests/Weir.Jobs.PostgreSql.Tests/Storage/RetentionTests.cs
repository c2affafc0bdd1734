using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Retention;
using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Rules;

namespace Weir.Jobs.PostgreSql.Tests.Storage;

/// <summary>Jobs that have ended go with the part of their day.</summary>
public sealed class RetentionTests(PostgreSqlServer server) : StoreFixture(server)
{
    private readonly PostgreSqlServer _server = server;

    [Fact]
    public async Task A_day_whose_time_is_over_is_dropped_with_the_keys_of_its_jobs()
    {
        var store = await OpenAsync();
        await using var database = new Database(_server.ConnectionString, Schema);
        var (succeeded, failed) = (Job(starts: true, idempotencyKey: "s"), Job(starts: true, idempotencyKey: "f"));
        await CommitAsync(store, batch => batch.Jobs.AddRange([succeeded, failed]));
        await CommitAsync(store, batch => batch.Actions.AddRange([Action(succeeded.Id, JobEvent.Succeeded), Action(failed.Id, JobEvent.Threw)]));
        await AgeAsync("done_short", "ended_day", 3);
        await AgeAsync("done_long", "ended_day", 3);
        await AgeAsync("attempt", "day", 3);

        // 1. Not before its time: three days and more.
        Assert.DoesNotContain(await RetentionLoop.ApplyAsync(database, new RetentionTimes(TimeSpan.FromDays(3), null), Stop), static part => part.StartsWith("done_short", StringComparison.Ordinal));
        Assert.Equal(JobState.Succeeded, await StateAsync(store, succeeded.Id));

        // 2. Those that failed have a time of their own.
        var dropped = await RetentionLoop.ApplyAsync(database, new RetentionTimes(TimeSpan.FromDays(1), TimeSpan.FromDays(14)), Stop);
        Assert.Contains(dropped, static part => part.StartsWith("done_short", StringComparison.Ordinal));
        Assert.Null(await StateAsync(store, succeeded.Id));
        Assert.Equal(JobState.Failed, await StateAsync(store, failed.Id));
        Assert.Single(await store.ReadAttemptsAsync(failed.Id, Stop));
        Assert.Equal("f", await _server.QueryAsync($"SELECT string_agg(key, ',') FROM {Schema}.key"));

        // 3. Attempts go when no job can have them, but stay as long as one is open that may.
        var open = Job();
        await CommitAsync(store, batch => batch.Jobs.Add(open));
        await _server.ExecuteAsync($"UPDATE {Schema}.job SET first_day = first_day - 10");
        dropped = await RetentionLoop.ApplyAsync(database, new RetentionTimes(TimeSpan.FromDays(1), TimeSpan.FromDays(1)), Stop);
        Assert.DoesNotContain(dropped, static part => part.StartsWith("attempt", StringComparison.Ordinal));
        Assert.Contains(dropped, static part => part.StartsWith("done_long", StringComparison.Ordinal));
        await _server.ExecuteAsync($"UPDATE {Schema}.job SET first_day = first_day + 10");
        dropped = await RetentionLoop.ApplyAsync(database, new RetentionTimes(TimeSpan.Zero, TimeSpan.Zero), Stop);
        Assert.Contains(dropped, static part => part.StartsWith("attempt", StringComparison.Ordinal));
        Assert.Equal(JobState.Ready, await StateAsync(store, open.Id));
    }

    [Fact]
    public async Task A_day_that_has_no_part_gets_one_with_the_first_job_that_ends()
    {
        var store = await OpenAsync();
        var job = Job(starts: true);
        await CommitAsync(store, batch => batch.Jobs.Add(job));
        await _server.ExecuteAsync($"DO $$ BEGIN EXECUTE 'DROP TABLE {Schema}.done_short_' || to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDD'); END $$");
        await CommitAsync(store, batch => batch.Actions.Add(Action(job.Id, JobEvent.Succeeded)));
        Assert.Equal(JobState.Succeeded, await StateAsync(store, job.Id));
    }

    [Fact]
    public async Task A_job_that_is_retried_by_hand_leaves_its_day()
    {
        var store = await OpenAsync();
        await using var database = new Database(_server.ConnectionString, Schema);
        var job = Job(starts: true);
        await CommitAsync(store, batch => batch.Jobs.Add(job));
        await CommitAsync(store, batch => batch.Actions.Add(Action(job.Id, JobEvent.Threw)));
        await AgeAsync("done_long", "ended_day", 3);
        await CommitAsync(store, batch => batch.Actions.Add(Action(job.Id, JobEvent.RetriedByHand)));
        await RetentionLoop.ApplyAsync(database, new RetentionTimes(TimeSpan.Zero, TimeSpan.Zero), Stop);
        Assert.Equal(JobState.Ready, await StateAsync(store, job.Id));
        Assert.Equal(0, await CountAsync("done_long"));
    }

    // Moves rows to a part of an earlier day.
    private async Task AgeAsync(string table, string column, int days) => await _server.ExecuteAsync(
        $"""
        DO $$ DECLARE old date := (now() AT TIME ZONE 'UTC')::date - {days}; BEGIN
          EXECUTE format('CREATE TABLE IF NOT EXISTS {Schema}.{table}_%s PARTITION OF {Schema}.{table} FOR VALUES FROM (%L) TO (%L)', to_char(old, 'YYYYMMDD'), old, old + 1);
          UPDATE {Schema}.{table} SET {column} = old;
        END $$
        """);
}
