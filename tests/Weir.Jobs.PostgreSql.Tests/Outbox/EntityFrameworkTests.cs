using System.Data.Common;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Storage;
using Npgsql;
using Npgsql.EntityFrameworkCore.PostgreSQL;
using Npgsql.EntityFrameworkCore.PostgreSQL.Infrastructure;
using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Tests.Running;

namespace Weir.Jobs.PostgreSql.Tests.Outbox;

/// <summary>Jobs that are submitted in a transaction of Entity Framework Core.</summary>
public sealed class EntityFrameworkTests(PostgreSqlServer server) : IAsyncLifetime
{
    private readonly string _schema = server.NewSchema();
    private JobsHost _host = null!;

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync()
    {
        _host = await JobsHost.StartAsync(jobs => jobs.UsePostgreSql(server.ConnectionString, options => options.Schema = _schema));
        await server.ExecuteAsync($"CREATE TABLE {_schema}.orders (id int PRIMARY KEY, job uuid)");
    }

    public ValueTask DisposeAsync() => _host.DisposeAsync();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_entity_and_its_job_are_one_commit(bool commits)
    {
        await using var shop = NewShop();
        await using var transaction = await shop.Database.BeginTransactionAsync(Stop);
        var order = new Order { Id = 1 };
        shop.Orders.Add(order);
        await shop.SaveChangesAsync(Stop);
        var job = await _host.Reports.In(shop.Database.CurrentTransaction!.GetDbTransaction()).EnqueueAsync(reports => reports.Charge("acme", order.Id), cancellationToken: Stop);
        order.Job = job.Id;
        await shop.SaveChangesAsync(Stop);
        Assert.Null(await _host.Jobs.Get(job.Id).GetAsync(Stop));
        if (commits)
        {
            await transaction.CommitAsync(Stop);
            await job.WaitAsync(Stop);
            Assert.Equal(["charge acme 1"], _host.Board.Lines);
            Assert.Equal([job.Id], await StoredAsync());
            return;
        }

        await transaction.RollbackAsync(Stop);
        Assert.Empty(await StoredAsync());
        Assert.Empty(await _host.Jobs.ListAsync(null, Stop));
        Assert.Null(await _host.Jobs.Get(job.Id).GetAsync(Stop));
    }

    [Fact]
    public async Task A_transaction_of_the_connection_that_the_context_uses_is_as_good()
    {
        await using var connection = new NpgsqlConnection(ConnectionString);
        await connection.OpenAsync(Stop);
        await using var transaction = await connection.BeginTransactionAsync(Stop);
        await using var shop = new Shop(new DbContextOptionsBuilder<Shop>().UseNpgsql(connection).Options);
        await shop.Database.UseTransactionAsync(transaction, Stop);
        var job = await _host.Reports.In(transaction).EnqueueAsync(reports => reports.Charge("acme", 1), cancellationToken: Stop);
        shop.Orders.Add(new Order { Id = 1, Job = job.Id });
        await shop.SaveChangesAsync(Stop);
        await transaction.CommitAsync(Stop);
        await job.WaitAsync(Stop);
        Assert.Equal([job.Id], await StoredAsync());
    }

    [Fact]
    public async Task A_session_that_is_ended_at_any_step_leaves_both_or_none()
    {
        // Before the job, between the job and the entity, before the commit, and not at all.
        for (var step = 0; step < 4; step++)
        {
            await using var shop = NewShop();
            try
            {
                await using var transaction = await shop.Database.BeginTransactionAsync(Stop);
                await EndAsync(shop, step == 0);
                var job = await _host.Reports.In(transaction.GetDbTransaction()).EnqueueAsync(reports => reports.Charge("acme", step), cancellationToken: Stop);
                await EndAsync(shop, step == 1);
                shop.Orders.Add(new Order { Id = step, Job = job.Id });
                await shop.SaveChangesAsync(Stop);
                await EndAsync(shop, step == 2);
                await transaction.CommitAsync(Stop);
                Assert.Equal(3, step);
            }
            catch (Exception failure) when (failure is DbException or DbUpdateException or InvalidOperationException or CallRejectedException && step < 3)
            {
                // Its session is gone.
            }
        }

        var only = Assert.Single(await _host.Jobs.ListAsync(null, Stop));
        Assert.Equal([only.Id], await StoredAsync());
        await _host.Jobs.Get(only.Id).WaitAsync(Stop);
        Assert.Equal(["charge acme 3"], _host.Board.Lines);
    }

    [Theory]
    [InlineData(0, true)]
    [InlineData(1, true)]
    [InlineData(2, true)]
    [InlineData(0, false)]
    [InlineData(1, false)]
    [InlineData(2, false)]
    public async Task An_execution_strategy_that_repeats_the_transaction_leaves_one_entity_and_one_job(int step, bool isJobFirst)
    {
        await using var shop = NewShop(static options => options.ExecutionStrategy(static of => new ShopStrategy(of)));
        var tries = 0;
        await shop.Database.CreateExecutionStrategy().ExecuteAsync(async () =>
        {
            var ends = ++tries == 1;
            shop.ChangeTracker.Clear();
            await using var transaction = await shop.Database.BeginTransactionAsync(Stop);
            await EndAsync(shop, ends && step == 0);
            if (!isJobFirst)
            {
                await SaveAsync();
                await EndAsync(shop, ends && step == 1);
            }

            var job = await _host.Reports.In(transaction.GetDbTransaction()).EnqueueAsync(reports => reports.Charge("acme", tries), cancellationToken: Stop);
            if (isJobFirst)
            {
                await EndAsync(shop, ends && step == 1);
                await SaveAsync();
            }

            await EndAsync(shop, ends && step == 2);
            await transaction.CommitAsync(Stop);

            async Task SaveAsync()
            {
                shop.Orders.Add(new Order { Id = tries });
                await shop.SaveChangesAsync(Stop);
            }
        });
        Assert.Equal(2, tries);
        var only = Assert.Single(await _host.Jobs.ListAsync(null, Stop));
        await _host.Jobs.Get(only.Id).WaitAsync(Stop);
        Assert.Equal(["charge acme 2"], _host.Board.Lines);
        Assert.Equal(2, await server.QueryAsync($"SELECT min(id) FROM {_schema}.orders"));
        Assert.Equal(1L, await server.QueryAsync($"SELECT count(*) FROM {_schema}.orders"));
    }

    [Fact]
    public async Task A_strategy_that_knows_errors_of_the_database_only_does_not_repeat_a_submission_that_failed_and_leaves_none()
    {
        await using var shop = NewShop(static options => options.EnableRetryOnFailure());
        var tries = 0;
        var refusal = await Assert.ThrowsAsync<CallRejectedException>(() => shop.Database.CreateExecutionStrategy().ExecuteAsync(async () =>
        {
            tries++;
            await using var transaction = await shop.Database.BeginTransactionAsync(Stop);
            shop.Orders.Add(new Order { Id = tries });
            await shop.SaveChangesAsync(Stop);
            await EndAsync(shop, ends: true);
            await _host.Reports.In(transaction.GetDbTransaction()).EnqueueAsync(reports => reports.Charge("acme", tries), cancellationToken: Stop);
        }));
        Assert.Equal((WeirCodes.JobStoreUnavailable, 1), (refusal.Code, tries));
        Assert.Empty(await StoredAsync());
        Assert.Empty(await _host.Jobs.ListAsync(null, Stop));
    }

    // The context has one model for all tests, so that the schema is one of the session.
    private string ConnectionString => $"{server.ConnectionString};Pooling=false;Search Path={_schema}";

    private Shop NewShop(Action<NpgsqlDbContextOptionsBuilder>? configure = null) => new(new DbContextOptionsBuilder<Shop>()
        .UseNpgsql(ConnectionString, configure)
        .Options);

    private async Task<List<Guid?>> StoredAsync()
    {
        await using var shop = NewShop();
        return await shop.Orders.Select(static order => order.Job).ToListAsync(Stop);
    }

    private async Task EndAsync(Shop shop, bool ends)
    {
        if (ends)
        {
            await server.TerminateAsync($"pid = {((NpgsqlConnection)shop.Database.GetDbConnection()).ProcessID}");
        }
    }

    /// <summary>As the guide has it: a submission that was refused stored nothing, so that the transaction may be repeated.</summary>
    private sealed class ShopStrategy(ExecutionStrategyDependencies dependencies) : NpgsqlRetryingExecutionStrategy(dependencies)
    {
        protected override bool ShouldRetryOn(Exception? exception) => exception is CallRejectedException || base.ShouldRetryOn(exception);
    }

    internal sealed class Order
    {
        public required int Id { get; init; }

        public Guid? Job { get; set; }
    }

    internal sealed class Shop(DbContextOptions<Shop> options) : DbContext(options)
    {
        public DbSet<Order> Orders => Set<Order>();

        protected override void OnModelCreating(ModelBuilder modelBuilder) => modelBuilder.Entity<Order>(static order =>
        {
            order.ToTable("orders");
            order.Property(static one => one.Id).HasColumnName("id").ValueGeneratedNever();
            order.Property(static one => one.Job).HasColumnName("job");
        });
    }
}
