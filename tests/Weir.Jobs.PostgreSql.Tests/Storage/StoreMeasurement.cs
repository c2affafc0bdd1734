using System.Diagnostics;
using System.Globalization;
using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Rules;

namespace Weir.Jobs.PostgreSql.Tests.Storage;

/// <summary>What a lifecycle (accepted, claimed, succeeded) costs. Run with <c>-explicit only</c>.</summary>
public sealed class StoreMeasurement(PostgreSqlServer server) : StoreFixture(server)
{
    [Theory(Explicit = true)]
    [InlineData(1, 1_500)]
    [InlineData(64, 40_000)]
    [InlineData(256, 100_000)]
    public async Task Lifecycles_a_second(int perCommit, int jobs)
    {
        var store = await OpenAsync();
        await RunAsync(store, perCommit, perCommit * 8, []);
        var commits = new List<double>();
        var began = Stopwatch.GetTimestamp();
        var processor = Environment.CpuUsage.TotalTime;
        await RunAsync(store, perCommit, jobs, commits);
        var (time, cpu) = (Stopwatch.GetElapsedTime(began), Environment.CpuUsage.TotalTime - processor);
        commits.Sort();
        TestContext.Current.TestOutputHelper!.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{store.Description}: {perCommit} a commit: {jobs / time.TotalSeconds:N0} lifecycles/s, commit p50 {commits[commits.Count / 2]:0.00} p99 {commits[commits.Count * 99 / 100]:0.00} ms, {cpu.TotalMicroseconds / jobs:0.0} us CPU here a job"));
    }

    // Each commit has the outcomes of what the one before has claimed, as many new jobs, and claims as many.
    private static async Task RunAsync(PostgreSqlJobStore store, int perCommit, int jobs, List<double> commits)
    {
        List<(Guid Id, long Fence)> running = [];
        for (var accepted = 0; accepted < jobs || running.Count > 0;)
        {
            var began = Stopwatch.GetTimestamp();
            var claim = Claim(perCommit);
            await CommitAsync(store, batch =>
            {
                batch.Actions.AddRange(running.Select(static job => Action(job.Id, JobEvent.Succeeded, job.Fence, "{}")));
                for (var count = 0; count < perCommit && accepted < jobs; count++, accepted++)
                {
                    batch.Jobs.Add(Job());
                }

                batch.Claims.Add(claim);
            });
            commits.Add(Stopwatch.GetElapsedTime(began).TotalMilliseconds);
            running = [.. claim.Jobs.Select(static job => (job.Record.Id, job.Record.Status.Fence))];
        }
    }
}
