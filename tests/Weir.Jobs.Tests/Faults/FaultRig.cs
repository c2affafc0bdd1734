using System.Reflection;
using Weir.Jobs.Rules;
using Weir.Jobs.Sqlite;
using Weir.Jobs.Sqlite.Interop;
using Weir.Jobs.Storage;
using Weir.Jobs.Tests.Sqlite;

namespace Weir.Jobs.Tests.Faults;

/// <summary>A file of jobs, the processes that use it one after the other, and what has to be true when all its jobs have ended.</summary>
/// <param name="path">A directory in which the file lies; <c>null</c> for one of its own.</param>
internal sealed class FaultRig(string? path = null) : IDisposable
{
    /// <summary>As the application under test has it.</summary>
    public static readonly TimeSpan CancelGrace = TimeSpan.FromSeconds(1);

    public static readonly TimeSpan DrainTimeout = TimeSpan.FromSeconds(1);

    // Most starts of a job that is not [Idempotent], by the attempts it asks for.
    private static readonly Dictionary<string, int> MostStarts = new(StringComparer.Ordinal) { ["Work/Flaky"] = 3, ["Work/Again"] = 3, ["Work/FailsOnce"] = 2 };

    private static readonly string Program = typeof(FaultRig).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>().Single(static attribute => attribute.Key == "JobsTestHost").Value!;

    private readonly StoreDirectory _files = new();

    public string Store => path is null ? _files.File : Path.Combine(path, "jobs.db");

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    /// <summary>Starts the application.</summary>
    /// <param name="mode">What its driver does.</param>
    /// <param name="calls">With which calls.</param>
    /// <param name="arguments">More arguments.</param>
    public HostProcess Start(string mode, string calls = "", params string[] arguments) => new(Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet", Arguments(mode, calls, arguments), _files.Name);

    /// <summary>Starts the application with a fault of its calls that write or sync the store.</summary>
    /// <param name="fault">As <c>strace</c> reads it: <c>pwrite64:signal=KILL:when=5</c>. Counted by thread; one thread writes.</param>
    /// <param name="mode">What its driver does.</param>
    /// <param name="calls">With which calls.</param>
    /// <param name="isOfFile">Whether only calls for the file itself count, and not those for its log: that is when the log is copied into it.</param>
    public HostProcess StartWithFault(string fault, string mode, string calls, bool isOfFile = false)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && File.Exists("/usr/bin/strace"), "strace is not installed.");
        return new HostProcess(
            "/usr/bin/strace",
            [
                "-f", "-o", "/dev/null", "-P", Store, "-P", isOfFile ? Store : Store + "-wal", "-e", $"trace={fault[..fault.IndexOf(':', StringComparison.Ordinal)]}", "-e", $"inject={fault}",
                "dotnet", .. Arguments(mode, calls, []),
            ],
            _files.Name);
    }

    public async Task<HostProcess> RunAsync(string mode, string calls = "", params string[] arguments)
    {
        var process = Start(mode, calls, arguments);
        Assert.True(await process.ExitAsync() == 0, process.Said);
        return process;
    }

    public async Task<HostProcess> RunWithFaultAsync(string fault, string mode, string calls, bool isOfFile = false)
    {
        var process = StartWithFault(fault, mode, calls, isOfFile);
        await process.ExitAsync();
        Assert.SkipWhen(process.Said.Contains("ptrace", StringComparison.OrdinalIgnoreCase), $"strace may not trace: {process.Said}");
        return process;
    }

    /// <summary>Runs the application, and <c>strace</c> with it.</summary>
    /// <param name="options">What it traces, and where to.</param>
    /// <param name="mode">What the driver does.</param>
    /// <param name="calls">With which calls.</param>
    /// <param name="arguments">More arguments of the application.</param>
    public async Task<HostProcess> RunTracedAsync(string[] options, string mode, string calls, params string[] arguments)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && File.Exists("/usr/bin/strace"), "strace is not installed.");
        var process = new HostProcess("/usr/bin/strace", ["-f", .. options, "dotnet", .. Arguments(mode, calls, arguments)], _files.Name);
        await process.ExitAsync();
        Assert.SkipWhen(process.Said.Contains("ptrace", StringComparison.OrdinalIgnoreCase), $"strace may not trace: {process.Said}");
        return process;
    }

    /// <summary>Lets everything end, without faults.</summary>
    public async Task FinishAsync(params string[] arguments) => (await RunAsync("finish", "", arguments)).Dispose();

    /// <summary>What submitters were answered, by all processes.</summary>
    public List<string[]> Answers() => [.. Lines("answers-")];

    /// <summary>Waits until a process has answered a submitter, and so has begun to work, however busy the machine is.</summary>
    /// <param name="process">The process.</param>
    /// <param name="before">How many answers there were before it started.</param>
    public async Task WorksAsync(HostProcess process, int before)
    {
        while (Answers().Count == before)
        {
            Assert.False(process.HasExited, process.Said);
            await Task.Delay(10, Stop);
        }
    }

    /// <summary>The jobs of which submitters know.</summary>
    public HashSet<Guid> Acknowledged() => [.. Answers().Where(static line => line[0] == "accepted").Select(static line => Guid.Parse(line[1]))];

    /// <summary>What handlers did, in the order of each process.</summary>
    public List<string[]> Oracle() => [.. Lines("oracle-")];

    /// <summary>How often the code of each job was started.</summary>
    public Dictionary<Guid, int> Starts() => Oracle().Where(static line => line[0] == "start").GroupBy(static line => Guid.Parse(line[1])).ToDictionary(static group => group.Key, static group => group.Count());

    /// <summary>All jobs with their attempts, read by this process.</summary>
    public async Task<Dictionary<Guid, (JobRecord Job, IReadOnlyList<JobAttempt> Attempts)>> JobsAsync()
    {
        var jobs = new Dictionary<Guid, (JobRecord, IReadOnlyList<JobAttempt>)>();
        await using (var store = new SqliteJobStore(Store, TimeSpan.FromSeconds(10), TimeProvider.System))
        {
            await store.OpenAsync(Guid.NewGuid(), Stop);
            Guid? before = null;
            while (await store.ListAsync(new JobQuery { Before = before, Limit = 1_000 }, Stop) is { Count: > 0 } page)
            {
                foreach (var job in page)
                {
                    jobs.Add(job.Id, (job, await store.ReadAttemptsAsync(job.Id, Stop)));
                }

                before = page[^1].Id;
            }
        }

        using var connection = new Connection(Store, mayWrite: false);
        Assert.Equal("ok", connection.Query("PRAGMA integrity_check"));
        return jobs;
    }

    /// <summary>
    /// What must be true of every file whose jobs have ended: each acknowledged job is there, none was started twice that must not be, each has one outcome, and it is that of code that ran.
    /// </summary>
    public async Task<Dictionary<Guid, (JobRecord Job, IReadOnlyList<JobAttempt> Attempts)>> CheckAsync()
    {
        var jobs = await JobsAsync();
        var oracle = Oracle();
        var starts = oracle.Where(static line => line[0] == "start").Select(static line => (Id: Guid.Parse(line[1]), Fence: line[2])).ToList();
        var done = oracle.Where(static line => line[0] == "done").Select(static line => (Guid.Parse(line[1]), line[2])).ToHashSet();
        Assert.All(Acknowledged(), id => Assert.True(jobs.ContainsKey(id), $"Job {id} was acknowledged and is lost."));
        Assert.Equal(starts.Count, starts.Distinct().Count());
        Assert.All(starts, start => Assert.True(jobs.ContainsKey(start.Id), $"Job {start.Id} ran and is not stored."));
        var count = Starts();
        foreach (var (id, (job, attempts)) in jobs)
        {
            var (status, ran) = (job.Status, count.GetValueOrDefault(id));
            var what = $"Job {id} of {job.Kind} is {status.State} {status.Reason}, claimed {status.Starts} times, fence {status.Fence}; its code was started {ran} times; attempts: {string.Join(", ", attempts.Select(static one => $"{one.Fence} {one.Happened}"))}.";
            Assert.True(status.HasEnded, what);
            Assert.True(ran <= status.Starts, what);
            if (!IsIdempotent(job.Kind))
            {
                Assert.True(ran <= MostStarts.GetValueOrDefault(job.Kind, 1), what);
            }

            Assert.True(attempts.Select(static one => one.Fence).SequenceEqual(attempts.Select(static one => one.Fence).Distinct().Order()), what);
            switch (status.State)
            {
                case JobState.Succeeded:
                    Assert.True(done.Contains((id, $"{status.Fence}")), what);
                    Assert.True(attempts.All(one => one.Fence < status.Fence), what);
                    Assert.True(job.Kind != "Work/Pages" || job.Items == 20, $"{what} {job.Items} items.");
                    break;
                case JobState.Failed:
                    Assert.True(attempts.Count > 0 && attempts[^1].Fence == status.Fence, what);
                    Assert.True(attempts.All(static one => one.Happened != JobEvent.Succeeded), what);
                    break;
                default:
                    Assert.True(status.State == JobState.Cancelled, what);
                    break;
            }
        }

        return jobs;
    }

    public void Dispose() => _files.Dispose();

    public static bool IsIdempotent(string kind) => kind.EndsWith("Repeatable", StringComparison.Ordinal) || kind == "Work/Pages";

    private List<string> Arguments(string mode, string calls, string[] arguments) =>
        [Program, "--Store", Store, "--Mode", mode, "--Calls", calls, "--Weir:Jobs:DrainTimeout", $"{DrainTimeout}", .. arguments];

    // The last line of a process that was killed may not be whole.
    private IEnumerable<string[]> Lines(string prefix)
    {
        foreach (var file in Directory.GetFiles(_files.Name, prefix + "*"))
        {
            using var reader = new StreamReader(new FileStream(file, FileMode.Open, FileAccess.Read, FileShare.ReadWrite));
            var text = reader.ReadToEnd();
            foreach (var line in text[..(text.LastIndexOf('\n') + 1)].Split('\n', StringSplitOptions.RemoveEmptyEntries))
            {
                yield return line.Split(' ');
            }
        }
    }
}
