using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Tests.Storage;

/// <summary>Connections that break in a commit: either all of it is stored and answered, or nothing of it, and it is known which.</summary>
public sealed class UnknownOutcomeTests(PostgreSqlServer server) : StoreFixture(server)
{
    // What is sent with the end of a transaction.
    private const string End = ".commit (replica, number";

    private readonly PostgreSqlServer _server = server;

    [Fact]
    public async Task A_commit_whose_answer_is_lost_is_known_to_have_happened()
    {
        await using var proxy = new CuttingProxy(_server.Port);
        var store = await OpenAsync(proxy.ConnectionString);
        var (running, waits, added) = (Job(starts: true), Job(), Job(starts: true));
        await CommitAsync(store, batch => batch.Jobs.AddRange([running, waits]));

        proxy.CutAt(End, afterAnswer: true);
        var claim = Claim(5);
        var batch = await CommitAsync(store, batch =>
        {
            batch.Actions.Add(Action(running.Id, JobEvent.Succeeded, payload: "done"));
            batch.Jobs.Add(added);
            batch.Claims.Add(claim);
        });

        // 1. It is answered as if nothing had happened, and asked again when the next job is due, and what is left.
        Assert.Equal(1, proxy.Cuts);
        Assert.Equal(JobVerdict.Applied, Assert.Single(batch.Actions).Change.Verdict);
        Assert.NotNull(added.Claimed);
        var claimed = Assert.Single(claim.Jobs);
        Assert.Equal((waits.Id, 1, JobState.Running), (claimed.Record.Id, claimed.Record.Status.Fence, claimed.Record.Status.State));
        Assert.Equal("{}"u8.ToArray(), claimed.Arguments.ToArray());
        Assert.False(Assert.Single(claim.Kinds).IsEmpty);
        Assert.Equal(Now, batch.NextDue);

        // 2. It is stored once, and the store continues.
        Assert.Equal(JobState.Succeeded, await StateAsync(store, running.Id));
        Assert.Equal(JobState.Running, await StateAsync(store, waits.Id));
        await CommitAsync(store, batch => batch.Actions.Add(Action(waits.Id, JobEvent.Succeeded)));
        Assert.Equal(2, await CountAsync("done_short"));
        Assert.Equal(1, await CountAsync("commit"));
    }

    [Theory]
    [InlineData(End)]
    [InlineData("FOR UPDATE")]
    [InlineData("ISOLATION")]
    public async Task A_commit_that_the_server_did_not_get_leaves_nothing_and_can_be_repeated(string cutAt)
    {
        await using var proxy = new CuttingProxy(_server.Port);
        var store = await OpenAsync(proxy.ConnectionString);
        var (running, added) = (Job(starts: true), Job(idempotencyKey: "k"));
        await CommitAsync(store, batch => batch.Jobs.Add(running));
        proxy.CutAt(cutAt, afterAnswer: false);
        var batch = new JobBatch(Now);
        batch.Actions.Add(Action(running.Id, JobEvent.Succeeded));
        batch.Jobs.Add(added);
        batch.Claims.Add(Claim(5));
        var error = await Assert.ThrowsAsync<JobStoreException>(async () => await store.CommitAsync(batch));
        Assert.Equal((false, false, 1), (error.IsUnknown, error.IsFinal, proxy.Cuts));
        Assert.Empty(batch.Claims[0].Jobs);
        Assert.Equal((JobState.Running, null), (await StateAsync(store, running.Id), await StateAsync(store, added.Id)));
        await store.CommitAsync(batch);
        Assert.Equal(added.Id, Assert.Single(batch.Claims[0].Jobs).Record.Id);
        Assert.Equal(JobState.Succeeded, await StateAsync(store, running.Id));
        Assert.Null(added.Existing);
    }

    [Fact]
    public async Task A_store_that_is_closed_while_its_server_does_not_answer_says_that_the_outcome_is_not_known()
    {
        await using var proxy = new CuttingProxy(_server.Port);
        var store = await OpenAsync(proxy.ConnectionString);
        await CommitAsync(store, static batch => batch.Jobs.Add(Job()));
        proxy.CutAt(End, afterAnswer: true);
        proxy.IsClosed = true;
        var committing = CommitAsync(store, static batch => batch.Jobs.Add(Job()));
        while (proxy.Cuts == 0)
        {
            await Task.Yield();
        }

        await Task.Delay(50, Stop);
        Assert.False(committing.IsCompleted);
        await store.DisposeAsync();
        var error = await Assert.ThrowsAsync<JobStoreException>(() => committing);
        Assert.Equal((true, true), (error.IsUnknown, error.IsFinal));
        Assert.Equal(2, await CountAsync("job"));
    }

    [Fact]
    public async Task Jobs_are_stored_once_each_while_sessions_are_terminated()
    {
        var store = await OpenAsync();
        using var stop = new CancellationTokenSource();
        var terminator = Task.Run(async () =>
        {
            while (!stop.IsCancellationRequested)
            {
                await _server.TerminateAsync($"application_name = 'weir-jobs' AND query LIKE '%\"{Schema}\"%'");
                await Task.Delay(20);
            }
        });
        var (accepted, failures) = (new List<Guid>(), 0);
        for (var count = 0; count < 200; count++)
        {
            var job = Job();
            try
            {
                await CommitAsync(store, batch => batch.Jobs.Add(job));
                accepted.Add(job.Id);
            }
            catch (JobStoreException error)
            {
                Assert.False(error.IsUnknown);
                failures++;
            }
        }

        await stop.CancelAsync();
        await terminator;
        Assert.True(failures > 0, "No session was terminated in a commit.");
        Assert.Equal(accepted.Count, await CountAsync("job"));
    }
}
