using System.Diagnostics;
using System.Globalization;
using Weir.Jobs.Sqlite;
using Weir.Jobs.Sqlite.Interop;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Sqlite;

/// <summary>
/// System calls of the thread that writes fail, or end the process, by <c>strace</c>, which counts them by thread. A child commits one job at a time,
/// and takes an occurrence of a schedule with it, and writes down each answer.
/// </summary>
public sealed class SqliteFaultTests : SqliteFixture
{
    private const string DirectoryName = "WEIR_JOBS_FAULT_DIRECTORY";
    private const string Occurrence = "Reports/CleanUp";
    private const int Commits = 40;

    [Fact]
    public async Task After_a_failed_sync_nothing_is_known_of_the_commit_and_nothing_more_is_committed()
    {
        var said = Run("fsync:error=EIO:when=20");
        Assert.Equal(Commits, said.Count);
        Assert.All(said.Take(19), static line => Assert.Equal("stored", line.Answer));
        Assert.Equal("unknown final", said[19].Answer);
        Assert.All(said.Skip(20), static line => Assert.Equal("nothing final", line.Answer));
        await HasAsync(said);
    }

    [Theory]
    [InlineData("ENOSPC")]
    [InlineData("EIO")]
    public async Task After_a_failed_write_nothing_is_stored_and_the_next_commit_is(string error)
    {
        var said = Run($"pwrite64:error={error}:when=101");
        Assert.Equal(Commits, said.Count);
        Assert.True(said.Count(static line => line.Answer != "stored") == 1, string.Join(", ", said.Select(static line => line.Answer)));
        Assert.Contains(said, line => line.Answer is "nothing" or "refused");
        await HasAsync(said);
    }

    [Fact]
    public async Task A_process_that_is_killed_at_any_write_and_sync_loses_nothing_that_was_acknowledged()
    {
        // The first ones are while the file is created.
        string[] calls = ["pwrite64:signal=KILL:when=5", "pwrite64:signal=KILL:when=40", "pwrite64:signal=KILL:when=150", "fsync:signal=KILL:when=4", "fsync:signal=KILL:when=20"];
        foreach (var at in calls)
        {
            var said = Run(at);
            Assert.True(said.Count < Commits, $"{at}: it ran to its end.");
            await HasAsync(said);
            foreach (var file in Directory.GetFiles(Files.Name))
            {
                File.Delete(file);
            }
        }
    }

    /// <summary>Runs in the child.</summary>
    [Fact(Explicit = true)]
    public async Task Child_commits_one_job_at_a_time()
    {
        if (Environment.GetEnvironmentVariable(DirectoryName) is not { } directory)
        {
            return;
        }

        var store = new SqliteJobStore(Path.Combine(directory, "jobs.db"), StoreDirectory.OwnerWait, TimeProvider.System);
        await store.OpenAsync(new JobReplica(NextId(), []), Stop);
        using var said = new FileStream(Path.Combine(directory, "said"), FileMode.Create);
        var next = Now;
        for (var number = 0; number < Commits; number++)
        {
            var job = Job(starts: true);
            var answer = "stored";
            var change = new ScheduleChange
            {
                Name = Occurrence,
                Expected = next,
                Next = next.AddDays(1),
                Job = new NewJob { Id = NextId(), Kind = Occurrence, Signature = 1, Arguments = Bytes("{}"), Submitted = Now, Due = next },
            };
            try
            {
                await CommitAsync(store, batch =>
                {
                    batch.Jobs.Add(job);
                    batch.Schedules = [new ScheduleDeclaration { Name = Occurrence, Kind = Occurrence, Cron = "@daily", TimeZone = "UTC", Source = JobScheduleSource.Code, First = Now }];
                    batch.ScheduleChanges.Add(change);
                });
                answer = job.IsRefused ? "refused" : answer;
                next = change.IsApplied ? next.AddDays(1) : next;
            }
            catch (JobStoreException error)
            {
                answer = $"{(error.IsUnknown ? "unknown" : "nothing")}{(error.IsFinal ? " final" : "")}";
            }

            said.Write(Bytes(string.Create(CultureInfo.InvariantCulture, $"{job.Id} {answer}\n")).Span);
            said.Flush();
        }

        await store.DisposeAsync();
    }

    private List<(Guid Id, string Answer)> Run(string fault)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && File.Exists("/usr/bin/strace"), "strace is not installed.");
        var call = fault[..fault.IndexOf(':', StringComparison.Ordinal)];
        var start = new ProcessStartInfo(
            "/usr/bin/strace",
            [
                "-f", "-o", "/dev/null", "-e", $"trace={call}", "-e", $"inject={fault}",
                Environment.ProcessPath!, Environment.ProcessPath!.EndsWith("dotnet", StringComparison.Ordinal) ? typeof(SqliteFaultTests).Assembly.Location : "-noLogo",
                "-noColor", "-explicit", "only", "-method", $"*{nameof(Child_commits_one_job_at_a_time)}",
            ])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment[DirectoryName] = Files.Name;
        using var child = Process.Start(start)!;
        var errors = child.StandardError.ReadToEndAsync(Stop);
        var output = child.StandardOutput.ReadToEnd();
        child.WaitForExit();
        Assert.SkipWhen(errors.Result.Contains("ptrace", StringComparison.OrdinalIgnoreCase), $"strace may not trace: {errors.Result}");
        var said = Path.Combine(Files.Name, "said");
        return File.Exists(said)
            ? [.. File.ReadAllLines(said).Select(static line => line.Split(' ', 2)).Where(static words => words.Length == 2).Select(static words => (Guid.Parse(words[0]), words[1]))]
            : fault.Contains("KILL", StringComparison.Ordinal) ? [] : throw new InvalidOperationException(output + errors.Result);
    }

    // What was stored is there; of what was not, nothing is.
    private async Task HasAsync(List<(Guid Id, string Answer)> said)
    {
        await using var store = await OpenAsync();
        foreach (var (id, answer) in said)
        {
            if (!answer.StartsWith("unknown", StringComparison.Ordinal))
            {
                Assert.Equal(answer == "stored", await store.FindAsync(id, Stop) is not null);
            }
        }

        // Of each occurrence that was taken there is the job, and of no other one.
        var schedule = (await store.ListSchedulesAsync(Stop)).SingleOrDefault();
        var jobs = await store.ListAsync(new JobQuery { Kind = Occurrence }, Stop);
        Assert.Equal(Enumerable.Range(0, ((schedule?.Next ?? Now) - Now).Days).Select(static day => Now.AddDays(day)), jobs.Select(static job => job.ScheduledFor).Order());
        Assert.InRange(jobs.Count, said.Count(static line => line.Answer == "stored"), Commits);
        Assert.Equal(jobs.Count == 0 ? null : jobs[0].Id, schedule?.LastJob);

        using var connection = new Connection(Files.File, mayWrite: false);
        Assert.Equal("ok", connection.Query("PRAGMA integrity_check"));
    }
}
