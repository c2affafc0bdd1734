namespace Weir.Jobs.Tests.Running;

public sealed class SqliteJobsTests : JobsCompliance, IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("weir-jobs-");

    public void Dispose() => _directory.Delete(recursive: true);

    protected override void Choose(WeirJobsOptions jobs) => jobs.UseSqlite(Path.Combine(_directory.FullName, "jobs.db"));

    [Fact]
    public async Task Jobs_survive_their_host()
    {
        var ct = TestContext.Current.CancellationToken;
        Guid waiting, done;
        await using (var host = await StartAsync())
        {
            var job = await host.Reports.EnqueueAsync(reports => reports.Build("a", 1), cancellationToken: ct);
            await job.ResultAsync(ct);
            done = job.Id;
            waiting = (await host.Reports.EnqueueAsync(reports => reports.Build("b", 2), new JobOptions { After = TimeSpan.FromMilliseconds(300) }, ct)).Id;
        }

        await using (var host = await StartAsync())
        {
            Assert.Equal("a", (await host.Jobs.Get<Report>(done).ResultAsync(ct)).Tenant);
            Assert.Equal("b", (await host.Jobs.Get<Report>(waiting).ResultAsync(ct)).Tenant);
        }
    }
}
