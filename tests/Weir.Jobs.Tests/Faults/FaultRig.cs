using System.Reflection;
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

    private static readonly string Program = typeof(FaultRig).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>().Single(static attribute => attribute.Key == "JobsTestHost").Value!;

    private readonly StoreDirectory _files = new();
    private FaultFiles? _written;

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
    /// <param name="arguments">More arguments.</param>
    public HostProcess StartWithFault(string fault, string mode, string calls, bool isOfFile = false, params string[] arguments)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && File.Exists("/usr/bin/strace"), "strace is not installed.");
        return new HostProcess(
            "/usr/bin/strace",
            [
                "-f", "-o", "/dev/null", "-P", Store, "-P", isOfFile ? Store : Store + "-wal", "-e", $"trace={fault[..fault.IndexOf(':', StringComparison.Ordinal)]}", "-e", $"inject={fault}",
                "dotnet", .. Arguments(mode, calls, arguments),
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

    /// <summary>What its processes have written down.</summary>
    public FaultFiles Files => _written ??= new FaultFiles(_files.Name);

    /// <inheritdoc cref="FaultFiles.Answers"/>
    public List<string[]> Answers() => Files.Answers();

    /// <inheritdoc cref="FaultFiles.WorksAsync"/>
    public Task WorksAsync(HostProcess process, int before) => Files.WorksAsync(process, before);

    /// <inheritdoc cref="FaultFiles.AnswersAsync"/>
    public Task AnswersAsync(HostProcess process, string answer, int more) => Files.AnswersAsync(process, answer, more);

    /// <inheritdoc cref="FaultFiles.Acknowledged"/>
    public HashSet<Guid> Acknowledged() => Files.Acknowledged();

    /// <inheritdoc cref="FaultFiles.Oracle"/>
    public List<string[]> Oracle() => Files.Oracle();

    /// <inheritdoc cref="FaultFiles.Starts"/>
    public Dictionary<Guid, int> Starts() => Files.Starts();

    /// <summary>All jobs with their attempts, read by this process.</summary>
    public async Task<Dictionary<Guid, (JobRecord Job, IReadOnlyList<JobAttempt> Attempts)>> JobsAsync()
    {
        var jobs = new Dictionary<Guid, (JobRecord, IReadOnlyList<JobAttempt>)>();
        await using (var store = new SqliteJobStore(Store, TimeSpan.FromSeconds(10), TimeProvider.System))
        {
            await store.OpenAsync(new JobReplica(Guid.NewGuid(), []), Stop);
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

    /// <inheritdoc cref="FaultFiles.Check"/>
    public async Task<Dictionary<Guid, (JobRecord Job, IReadOnlyList<JobAttempt> Attempts)>> CheckAsync()
    {
        var jobs = await JobsAsync();
        Files.Check(jobs);
        return jobs;
    }

    public void Dispose() => _files.Dispose();

    private List<string> Arguments(string mode, string calls, string[] arguments) =>
        [Program, "--Store", Store, "--Mode", mode, "--Calls", calls, "--Weir:Jobs:DrainTimeout", $"{DrainTimeout}", .. arguments];
}
