using Weir.Jobs.Sqlite;
using Weir.Jobs.Storage;
using Weir.Jobs.Tests.Storage;

namespace Weir.Jobs.Tests.Sqlite;

/// <summary>Limits hold in a file, too, also of a process that is killed.</summary>
public sealed class SqliteLimitTests : SqliteFixture
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task In_two_thousand_random_steps_with_kills_no_key_runs_twice_and_no_more_jobs_run_than_may(int seed)
    {
        const int Steps = 2_000;
        var simulation = new LimitSimulation(seed);
        var (directories, stores) = (new Stack<StoreDirectory>([Files]), new Stack<SqliteJobStore>([await OpenAsync()]));
        try
        {
            for (var step = 1; step <= Steps; step++)
            {
                await simulation.StepAsync(stores.Peek());
                if (step % 250 == 0)
                {
                    await simulation.CompareAsync(stores.Peek());
                    directories.Push(directories.Peek().Copy());
                    stores.Push(new SqliteJobStore(directories.Peek().File, StoreDirectory.OwnerWait, TimeProvider.System));
                    await simulation.RestartAsync(stores.Peek(), await stores.Peek().OpenAsync(new JobReplica(NextId(), []), Stop));
                    await simulation.CompareAsync(stores.Peek());
                }
            }

            simulation.AssertHappened(Steps);
        }
        finally
        {
            foreach (var store in stores)
            {
                await store.DisposeAsync();
            }

            foreach (var directory in directories.Where(directory => directory != Files))
            {
                directory.Dispose();
            }
        }
    }
}
