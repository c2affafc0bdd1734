using System.Diagnostics;
using System.Globalization;
using Weir.Jobs.Rules;
using Weir.Jobs.Sqlite;
using Weir.Jobs.Sqlite.Interop;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Sqlite;

/// <summary>What a lifecycle (accepted, started, succeeded) costs. Run with <c>-explicit only</c>; figures depend on the disk, which the first line names, and on the ids: random ones are at random places of their index.</summary>
public sealed class SqliteJobStoreMeasurement
{
    private static readonly JobTraits Once = new();
    private static readonly byte[] Arguments = new byte[256];
    private static readonly byte[] Result = new byte[32];

    [Theory(Explicit = true)]
    [InlineData(1, true, false, 6_000)]
    [InlineData(64, true, false, 100_000)]
    [InlineData(256, true, false, 200_000)]
    [InlineData(1, false, false, 4_000)]
    [InlineData(64, false, false, 100_000)]
    [InlineData(256, false, false, 200_000)]
    [InlineData(256, true, true, 200_000)]
    [InlineData(256, false, true, 200_000)]
    public async Task Lifecycles_a_second(int perCommit, bool starts, bool isOrdered, int jobs)
    {
        using var directory = new StoreDirectory();
        await using var store = new SqliteJobStore(directory.File, TimeSpan.Zero, TimeProvider.System);
        await store.OpenAsync(new JobReplica(Guid.NewGuid(), []), default);
        await RunAsync(store, perCommit, starts, isOrdered, Math.Max(perCommit * 4, jobs / 20), []);

        var commits = new List<double>();
        var (began, allocated, processor) = (Stopwatch.GetTimestamp(), GC.GetTotalAllocatedBytes(precise: true), Environment.CpuUsage.TotalTime);
        await RunAsync(store, perCommit, starts, isOrdered, jobs, commits);
        var (time, cpu) = (Stopwatch.GetElapsedTime(began), Environment.CpuUsage.TotalTime - processor);
        var bytes = GC.GetTotalAllocatedBytes(precise: true) - allocated;
        commits.Sort();
        Print($"{store.Description}: {perCommit} a commit, {(starts ? "started with acceptance" : "ready and claimed")}{(isOrdered ? ", ids in the order of time" : "")}: {jobs / time.TotalSeconds:N0} lifecycles/s, ");
        Print($"commit p50 {commits[commits.Count / 2]:0.00} p99 {commits[commits.Count * 99 / 100]:0.00} ms, {cpu.TotalMicroseconds / jobs:0.0} us CPU and {bytes / jobs:N0} bytes a job\n");
    }

    [Fact(Explicit = true)]
    public async Task Opening_with_a_million_jobs_that_are_ready()
    {
        foreach (var keys in new[] { 1, 1_000_000 })
        {
            using var directory = new StoreDirectory();
            await using var store = new SqliteJobStore(directory.File, TimeSpan.Zero, TimeProvider.System);
            await store.OpenAsync(new JobReplica(Guid.NewGuid(), []), default);
            var now = DateTimeOffset.UtcNow;
            for (var first = 0; first < 1_000_000; first += 1_000)
            {
                var batch = new JobBatch(now);
                for (var job = first; job < first + 1_000; job++)
                {
                    batch.Jobs.Add(New(Guid.NewGuid(), now, starts: false, $"key {job % keys}"));
                }

                await store.CommitAsync(batch);
            }

            using var copy = directory.Copy();
            var began = Stopwatch.GetTimestamp();
            await using var killed = new SqliteJobStore(copy.File, TimeSpan.Zero, TimeProvider.System);
            await killed.OpenAsync(new JobReplica(Guid.NewGuid(), []), default);
            var opened = Stopwatch.GetElapsedTime(began);
            var claim = new JobClaim { Slots = 256, Kinds = [new KindClaim { Kind = "Reports/Build", Slots = 256, Turn = new JobTurn(0, null, "key 5", null) }] };
            var claims = new JobBatch(now);
            claims.Claims.Add(claim);
            began = Stopwatch.GetTimestamp();
            await killed.CommitAsync(claims);
            Print($"1,000,000 ready jobs of {keys:N0} keys, {new FileInfo(copy.File).Length / 1_000_000:N0} MB: opened after a kill in {opened.TotalMilliseconds:0} ms, ");
            Print($"256 claimed in {Stopwatch.GetElapsedTime(began).TotalMilliseconds:0.0} ms");
            began = Stopwatch.GetTimestamp();
            var counts = await killed.CountAsync(default);
            Print($", counted in {Stopwatch.GetElapsedTime(began).TotalMilliseconds:0.0} ms\n");
            await killed.DisposeAsync();
            using (var connection = new Connection(copy.File, mayWrite: false))
            {
                foreach (var check in new[] { "quick_check", "integrity_check" })
                {
                    began = Stopwatch.GetTimestamp();
                    connection.Query($"PRAGMA {check}(1)");
                    Print($"{check} {Stopwatch.GetElapsedTime(began).TotalMilliseconds:0} ms\n");
                }
            }

            Assert.Equal(256, claim.Jobs.Count);
            Assert.Equal(2, counts.Count);
        }
    }

    private static async Task RunAsync(SqliteJobStore store, int perCommit, bool starts, bool isOrdered, int jobs, List<double> commits)
    {
        var running = new List<(Guid Id, long Fence)>(perCommit);
        var kind = new KindClaim { Kind = "Reports/Build", Slots = perCommit };
        for (var done = 0; done < jobs; done += perCommit)
        {
            var now = DateTimeOffset.UtcNow;
            var batch = new JobBatch(now);
            foreach (var (id, fence) in running)
            {
                batch.Actions.Add(new JobAction { Id = id, Happened = JobEvent.Succeeded, Kind = Once, Moment = new JobMoment(now, 0) { Fence = fence }, Payload = Result });
            }

            for (var job = 0; job < perCommit; job++)
            {
                batch.Jobs.Add(New(isOrdered ? Guid.CreateVersion7() : Guid.NewGuid(), now, starts, "tenant"));
            }

            var claim = new JobClaim { Slots = perCommit, Kinds = [kind] };
            if (!starts)
            {
                batch.Claims.Add(claim);
            }

            var began = Stopwatch.GetTimestamp();
            await store.CommitAsync(batch);
            commits.Add(Stopwatch.GetElapsedTime(began).TotalMilliseconds);
            running.Clear();
            foreach (var claimed in starts ? batch.Jobs.Select(static job => job.Claimed!) : claim.Jobs)
            {
                running.Add((claimed.Record.Id, claimed.Record.Status.Fence));
            }
        }
    }

    private static NewJob New(Guid id, DateTimeOffset now, bool starts, string key) => new()
    {
        Id = id,
        Kind = "Reports/Build",
        Signature = 42,
        Arguments = Arguments,
        Submitted = now,
        Due = now,
        Key = key,
        Owner = "name@example.org",
        TraceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        Starts = starts,
    };

    private static void Print(FormattableString text) => Console.Out.Write(text.ToString(CultureInfo.InvariantCulture));
}
