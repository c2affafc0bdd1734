using System.Globalization;
using System.Reflection;
using Npgsql;
using Weir.Jobs.Storage;
using Weir.Jobs.Tests.Faults;

namespace Weir.Jobs.PostgreSql.Tests.Faults;

/// <summary>A schema of jobs, the processes that share it, and what has to be true when all its jobs have ended.</summary>
internal sealed class ReplicaRig : IDisposable
{
    /// <summary>Of a process: short, so that a test lives longer.</summary>
    public static readonly TimeSpan Lease = TimeSpan.FromSeconds(3);

    public static readonly TimeSpan DrainTimeout = TimeSpan.FromSeconds(2);

    private static readonly string Program = Metadata("JobsTestHost");
    private static readonly string Next = Metadata("JobsTestHostNext");

    private readonly string _directory = Directory.CreateTempSubdirectory("weir-replicas-").FullName;
    private readonly string _server;
    private readonly string _schema;
    private readonly List<HostProcess> _processes = [];

    /// <param name="server">The connection string of the server, for this process.</param>
    /// <param name="schema">Of its own.</param>
    public ReplicaRig(string server, string schema) => (_server, _schema, Files) = (server, schema, new FaultFiles(_directory));

    public FaultFiles Files { get; }

    public string Schema => _schema;

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    /// <summary>Starts a process.</summary>
    /// <param name="mode">What its driver does.</param>
    /// <param name="calls">With which calls.</param>
    /// <param name="port">Where it finds the server; <c>null</c> for the server itself.</param>
    /// <param name="isNext">Whether it is the next version of the application.</param>
    /// <param name="arguments">More arguments.</param>
    public HostProcess Start(string mode, string calls = "", int? port = null, bool isNext = false, params string[] arguments)
    {
        var connection = new NpgsqlConnectionStringBuilder(_server) { Timeout = 5, CommandTimeout = 20, ApplicationName = _schema };
        connection.Port = port ?? connection.Port;
        var process = new HostProcess(
            Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet",
            [
                isNext ? Next : Program, "--PostgreSql", connection.ConnectionString, "--Schema", _schema, "--Lease", $"{Lease}", "--Mode", mode, "--Calls", calls, "--Shutdown", "00:00:15",
                "--Weir:Jobs:DrainTimeout", $"{DrainTimeout}", .. arguments,
            ],
            _directory);
        _processes.Add(process);
        return process;
    }

    /// <summary>Starts a process that runs jobs until it is stopped.</summary>
    public async Task<HostProcess> RunnerAsync(int? port = null, bool isNext = false, params string[] arguments)
    {
        var process = Start("", "", port, isNext, arguments);
        await process.SaysAsync("started");
        return process;
    }

    /// <summary>Starts a process that submits until it is stopped, and runs nothing. It pauses between submissions, so that those that run jobs keep up with it, and faults and not a queue are what takes time.</summary>
    public async Task<HostProcess> SubmitterAsync(string calls, int? port = null, bool isNext = false, params string[] arguments)
    {
        var process = Start("load", calls, port, isNext, ["--Weir:Jobs:Run", "false", "--Submitters", "4", "--Pause", "00:00:00.020", .. arguments]);
        await process.SaysAsync("started");
        return process;
    }

    /// <summary>Lets processes work until submitters have had so many more answers.</summary>
    public async Task AnswersAsync(int more)
    {
        for (var before = Files.Answers().Count; Files.Answers().Count < before + more;)
        {
            await Task.Delay(20, Stop);
        }
    }

    /// <summary>As a service manager stops it; it has so long as its host.</summary>
    public static async Task StopAsync(HostProcess process)
    {
        process.Terminate();
        Assert.True(await process.ExitAsync(30) == 0, process.Said);
    }

    /// <summary>Sends a signal.</summary>
    public static void Signal(HostProcess process, string signal)
    {
        using var kill = System.Diagnostics.Process.Start("kill", [$"-{signal}", process.Id.ToString(CultureInfo.InvariantCulture)]);
        kill.WaitForExit();
    }

    /// <summary>Lets everything end, without faults, and checks it.</summary>
    public async Task<Dictionary<Guid, (JobRecord Job, IReadOnlyList<JobAttempt> Attempts)>> FinishAsync()
    {
        using (var finish = Start("finish"))
        {
            Assert.True(await finish.ExitAsync(120) == 0, finish.Said);
        }

        var jobs = await JobsAsync();
        Files.Check(jobs);
        return jobs;
    }

    /// <summary>All jobs with their attempts, read by this process.</summary>
    public async Task<Dictionary<Guid, (JobRecord Job, IReadOnlyList<JobAttempt> Attempts)>> JobsAsync()
    {
        var jobs = new Dictionary<Guid, (JobRecord, IReadOnlyList<JobAttempt>)>();
        await using var store = StoreOf(_server, _schema);
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

        return jobs;
    }

    /// <summary>How many jobs failed, by why.</summary>
    public static Dictionary<JobReason, int> Failed(Dictionary<Guid, (JobRecord Job, IReadOnlyList<JobAttempt> Attempts)> jobs) =>
        jobs.Values.Where(static one => one.Job.Status.State == JobState.Failed).GroupBy(static one => one.Job.Status.Reason).ToDictionary(static group => group.Key, static group => group.Count());

    public void Dispose()
    {
        foreach (var process in _processes)
        {
            process.Dispose();
        }

        Directory.Delete(_directory, recursive: true);
    }

    private static string Metadata(string key) => typeof(ReplicaRig).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>().Single(attribute => attribute.Key == key).Value!;

    private static IJobStore StoreOf(string connection, string schema)
    {
        var options = new WeirJobsOptions();
        options.UsePostgreSql(connection, postgres => (postgres.Schema, postgres.Lease) = (schema, Lease));
        return options.Store!(new EmptyServices());
    }

    private sealed class EmptyServices : IServiceProvider
    {
        public object? GetService(Type serviceType) => null;
    }
}
