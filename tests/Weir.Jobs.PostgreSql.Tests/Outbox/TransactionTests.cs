using System.Data.Common;
using Npgsql;
using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Tests.Running;

namespace Weir.Jobs.PostgreSql.Tests.Outbox;

/// <summary>Jobs that are submitted in a transaction of the application.</summary>
public sealed class TransactionTests(PostgreSqlServer server) : IAsyncLifetime
{
    private readonly string _schema = server.NewSchema();
    private JobsHost _host = null!;

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync() => _host = await JobsHost.StartAsync(jobs => jobs.UsePostgreSql(server.ConnectionString, options => options.Schema = _schema));

    public ValueTask DisposeAsync() => _host.DisposeAsync();

    [Fact]
    public async Task A_job_exists_and_runs_when_its_transaction_has_committed_and_not_before()
    {
        await using var connection = await OpenAsync();
        await using var transaction = await connection.BeginTransactionAsync(Stop);
        var job = await _host.Reports.In(transaction).EnqueueAsync(reports => reports.Build("acme", 2026), cancellationToken: Stop);
        Assert.Equal(job.Id, (await Assert.ThrowsAsync<JobNotCommittedException>(() => job.WaitAsync(Stop))).Id);
        await Assert.ThrowsAsync<JobNotCommittedException>(() => job.ResultAsync(Stop));
        await Assert.ThrowsAsync<JobNotCommittedException>(async () => await job.GetAsync(Stop));
        Assert.Null(await _host.Jobs.Get(job.Id).GetAsync(Stop));
        await transaction.CommitAsync(Stop);
        Assert.Equal("acme", (await job.ResultAsync(Stop)).Tenant);
    }

    [Fact]
    public async Task A_job_whose_transaction_is_rolled_back_never_was()
    {
        await using var connection = await OpenAsync();
        await using (var transaction = await connection.BeginTransactionAsync(Stop))
        {
            await _host.Reports.In(transaction).EnqueueAsync(reports => reports.Charge("acme", 1), new JobOptions { IdempotencyKey = "once" }, Stop);
            await transaction.RollbackAsync(Stop);
        }

        await (await _host.Reports.EnqueueAsync(reports => reports.Charge("acme", 2), new JobOptions { IdempotencyKey = "once" }, Stop)).WaitAsync(Stop);
        Assert.Equal(["charge acme 2"], _host.Board.Lines);
        Assert.Single(await _host.Jobs.ListAsync(null, Stop));
    }

    [Fact]
    public async Task Several_jobs_and_rows_of_the_application_are_one_commit()
    {
        await using var connection = await OpenAsync();
        await ExecuteAsync(connection, null, $"CREATE TABLE {_schema}.orders(id int)");
        for (var order = 1; order <= 4; order++)
        {
            await using var transaction = await connection.BeginTransactionAsync(Stop);
            await ExecuteAsync(connection, transaction, $"INSERT INTO {_schema}.orders VALUES ({order})");
            await _host.Reports.In(transaction).EnqueueManyAsync(new[] { order * 10, (order * 10) + 1 }, (reports, amount) => reports.Charge("acme", amount), cancellationToken: Stop);
            if (order % 2 == 0)
            {
                await transaction.CommitAsync(Stop);
            }
        }

        while (_host.Board.Lines.Count < 4)
        {
            await Task.Delay(10, Stop);
        }

        Assert.Equal(["charge acme 20", "charge acme 21", "charge acme 40", "charge acme 41"], _host.Board.Lines.Order(StringComparer.Ordinal));
        Assert.Equal(2L, await server.QueryAsync($"SELECT count(*) FROM {_schema}.orders"));
        Assert.Equal(4, (await _host.Jobs.ListAsync(null, Stop)).Count);
    }

    [Fact]
    public async Task A_key_that_is_in_use_is_found_in_a_transaction_and_other_arguments_are_refused()
    {
        var first = await _host.Reports.EnqueueAsync(reports => reports.Charge("acme", 1), new JobOptions { IdempotencyKey = "key" }, Stop);
        await using var connection = await OpenAsync();
        await using var transaction = await connection.BeginTransactionAsync(Stop);
        var again = await _host.Reports.In(transaction).EnqueueAsync(reports => reports.Charge("acme", 1), new JobOptions { IdempotencyKey = "key" }, Stop);
        Assert.Equal((first.Id, true), (again.Id, again.IsExisting));
        await Assert.ThrowsAsync<JobKeyReusedException>(async () => await _host.Reports.In(transaction).EnqueueAsync(reports => reports.Charge("acme", 2), new JobOptions { IdempotencyKey = "key" }, Stop));
        await transaction.CommitAsync(Stop);
    }

    [Fact]
    public async Task A_session_that_is_ended_at_any_step_leaves_both_or_none()
    {
        await using (var connection = await OpenAsync())
        {
            await ExecuteAsync(connection, null, $"CREATE TABLE {_schema}.orders(job uuid)");
        }

        // Before the row, between the row and the job, before the commit, and not at all.
        for (var step = 0; step < 4; step++)
        {
            await using var connection = await OpenAsync();
            try
            {
                await using var transaction = await connection.BeginTransactionAsync(Stop);
                await EndAsync(connection, step == 0);
                await ExecuteAsync(connection, transaction, $"INSERT INTO {_schema}.orders VALUES (NULL)");
                await EndAsync(connection, step == 1);
                var job = await _host.Reports.In(transaction).EnqueueAsync(reports => reports.Charge("acme", step), cancellationToken: Stop);
                await ExecuteAsync(connection, transaction, $"UPDATE {_schema}.orders SET job = '{job.Id}' WHERE job IS NULL");
                await EndAsync(connection, step == 2);
                await transaction.CommitAsync(Stop);
                Assert.Equal(3, step);
            }
            catch (Exception failure) when (failure is DbException or CallRejectedException && step < 3)
            {
                // Its session is gone.
            }
        }

        var job3 = Assert.Single(await _host.Jobs.ListAsync(null, Stop));
        Assert.Equal(job3.Id, await server.QueryAsync($"SELECT job FROM {_schema}.orders"));
        await _host.Jobs.Get(job3.Id).WaitAsync(Stop);
        Assert.Equal(["charge acme 3"], _host.Board.Lines);
    }

    private async Task EndAsync(NpgsqlConnection connection, bool ends)
    {
        if (ends)
        {
            await server.TerminateAsync($"pid = {connection.ProcessID}");
        }
    }

    private async Task<NpgsqlConnection> OpenAsync()
    {
        var connection = new NpgsqlConnection(server.ConnectionString + ";Pooling=false");
        await connection.OpenAsync(Stop);
        return connection;
    }

    private static async Task ExecuteAsync(NpgsqlConnection connection, NpgsqlTransaction? transaction, string sql)
    {
        await using var command = new NpgsqlCommand(sql, connection, transaction);
        await command.ExecuteNonQueryAsync(Stop);
    }
}
