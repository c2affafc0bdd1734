using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Retention;
using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Storage;
using Weir.Jobs.Tests.Storage;

namespace Weir.Jobs.PostgreSql.Tests.Claiming;

public sealed class ClaimLimitTests(PostgreSqlServer server)
{
    [Fact]
    public async Task In_two_thousand_random_steps_no_key_runs_twice_and_no_more_jobs_run_than_may()
    {
        const int Steps = 2_000;
        var simulation = new LimitSimulation(1);
        await using var store = new PostgreSqlJobStore(new Database(server.ConnectionString, server.NewSchema()), new PostgreSqlJobsOptions(), new RetentionTimes(null, null), TimeProvider.System) { IsAlone = true };
        await store.OpenAsync(new JobReplica(Guid.NewGuid(), []), TestContext.Current.CancellationToken);
        for (var step = 1; step <= Steps; step++)
        {
            await simulation.StepAsync(store);
            if (step % 250 == 0)
            {
                await simulation.CompareAsync(store);
            }
        }

        simulation.AssertHappened(Steps);
    }
}
