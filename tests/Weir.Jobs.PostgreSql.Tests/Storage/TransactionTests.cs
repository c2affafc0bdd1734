using Npgsql;
using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Tests.Storage;

/// <summary>Jobs that are stored in a transaction of the application.</summary>
public sealed class TransactionTests(PostgreSqlServer server) : StoreFixture(server)
{
    private readonly PostgreSqlServer _server = server;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_job_exists_if_and_only_if_its_transaction_commits(bool commits)
    {
        var store = await OpenAsync();
        await using var connection = new NpgsqlConnection(_server.ConnectionString);
        await connection.OpenAsync(Stop);
        var (first, second) = (Job(starts: true), Job(idempotencyKey: "k"));
        await using (var transaction = await connection.BeginTransactionAsync(Stop))
        {
            await store.AcceptAsync(transaction, [first, second], Now, Stop);
            Assert.Null(first.Claimed);
            Assert.Null(await store.FindAsync(first.Id, Stop));
            await (commits ? transaction.CommitAsync(Stop) : transaction.RollbackAsync(Stop));
        }

        Assert.Equal(commits ? JobState.Ready : null, await StateAsync(store, first.Id));
        Assert.Equal(commits ? second.Id : null, (await AcceptAsync(store, Job(idempotencyKey: "k"))).Existing);
    }

    [Fact]
    public async Task A_key_that_is_taken_is_answered_with_its_job()
    {
        var store = await OpenAsync();
        var held = await AcceptAsync(store, Job(idempotencyKey: "k"));
        await using var connection = new NpgsqlConnection(_server.ConnectionString);
        await connection.OpenAsync(Stop);
        await using var transaction = await connection.BeginTransactionAsync(Stop);
        var again = Job(idempotencyKey: "k");
        await store.AcceptAsync(transaction, [again], Now, Stop);
        Assert.Equal(held.Id, again.Existing);
    }

    [Fact]
    public async Task A_transaction_that_has_ended_or_is_of_another_database_is_refused()
    {
        var store = await OpenAsync();
        await using var connection = new NpgsqlConnection(_server.ConnectionString);
        await connection.OpenAsync(Stop);
        var ended = await connection.BeginTransactionAsync(Stop);
        await ended.CommitAsync(Stop);
        var error = await Assert.ThrowsAsync<ArgumentException>(async () => await store.AcceptAsync(ended, [Job()], Now, Stop));
        Assert.Contains("has ended", error.Message, StringComparison.Ordinal);

        await using var other = new NpgsqlConnection(_server.ConnectionString.Replace("Database=postgres", "Database=template1", StringComparison.Ordinal));
        await other.OpenAsync(Stop);
        await using var transaction = await other.BeginTransactionAsync(Stop);
        error = await Assert.ThrowsAsync<ArgumentException>(async () => await store.AcceptAsync(transaction, [Job()], Now, Stop));
        Assert.Contains("'template1'", error.Message, StringComparison.Ordinal);
    }

    private static async Task<NewJob> AcceptAsync(IJobStore store, NewJob job)
    {
        await CommitAsync(store, batch => batch.Jobs.Add(job));
        return job;
    }
}
