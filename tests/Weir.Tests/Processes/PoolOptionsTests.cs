using System.Diagnostics;
using Weir.Execution.Pools;
using Weir.Execution.Pools.Definition;

namespace Weir.Tests.Processes;

public class PoolOptionsTests
{
    [Fact]
    public void The_defaults_are_those_of_the_documentation()
    {
        var options = new PoolOptions();
        options.Validate("test");
        Assert.Equal(1, options.MinWorkers);
        Assert.Equal(Environment.ProcessorCount, options.MaxWorkers);
        Assert.Equal(10 * options.MaxWorkers, options.QueueLimit);
        Assert.Equal(TimeSpan.FromSeconds(10), options.IdleTimeout);
        Assert.Equal(TimeSpan.FromSeconds(2), options.CancelGrace);
        Assert.Equal(TimeSpan.FromSeconds(10), options.StartTimeout);
        Assert.Equal(5, options.RestartBudget);
        Assert.Equal(TimeSpan.FromSeconds(30), options.StallTimeout);
        Assert.Equal(64 << 20, options.PayloadLimitBytes);
        Assert.Null(options.MemoryLimitBytes);
        Assert.Equal(ProcessPriorityClass.BelowNormal, options.Priority);
        Assert.Equal(1, options.StandbyWorkers);
    }

    [Fact]
    public void The_default_queue_limit_grows_with_the_workers()
    {
        var options = new PoolOptions { MaxWorkers = 7 };
        Assert.Equal(70, options.QueueLimit);
        options.QueueLimit = 3;
        options.MaxWorkers = 9;
        Assert.Equal(3, options.QueueLimit);
    }

    public static TheoryData<string, Action<PoolOptions>> Wrong => new()
    {
        { "MaxWorkers", options => options.MaxWorkers = 0 },
        { "MaxWorkers", options => options.MaxWorkers = 1025 },
        { "MinWorkers", options => options.MinWorkers = -1 },
        { "MinWorkers", options => (options.MinWorkers, options.MaxWorkers) = (3, 2) },
        { "QueueLimit", options => options.QueueLimit = -1 },
        { "IdleTimeout", options => options.IdleTimeout = TimeSpan.Zero },
        { "IdleTimeout", options => options.IdleTimeout = TimeSpan.MaxValue },
        { "CancelGrace", options => options.CancelGrace = TimeSpan.FromSeconds(-1) },
        { "CancelGrace", options => options.CancelGrace = TimeSpan.MaxValue },
        { "StartTimeout", options => options.StartTimeout = TimeSpan.Zero },
        { "RestartBudget", options => options.RestartBudget = 0 },
        { "RestartBudget", options => options.RestartBudget = int.MaxValue },
        { "MemoryLimitBytes", options => options.MemoryLimitBytes = 1 << 20 },
        { "PayloadLimitBytes", options => options.PayloadLimitBytes = 100 },
        { "PayloadLimitBytes", options => options.PayloadLimitBytes = (64 << 20) + 1 },
        { "StallTimeout", options => options.StallTimeout = TimeSpan.Zero },
        { "Priority", options => options.Priority = ProcessPriorityClass.RealTime },
        { "Priority", options => options.Priority = 0 },
        { "Processors", options => options.Processors = [] },
        { "Processors", options => options.Processors = [0, -1] },
        { "Processors", options => options.Processors = [8192] },
        { "StandbyWorkers", options => options.StandbyWorkers = -1 },
        { "StandbyWorkers", options => (options.StandbyWorkers, options.MaxWorkers) = (3, 2) },
        { "Concurrency", options => options.Concurrency = 0 },
        { "Concurrency", options => options.Concurrency = 257 },
        { "MaxCallsPerWorker", options => options.MaxCallsPerWorker = 0 },
        { "MaxWorkerAge", options => options.MaxWorkerAge = TimeSpan.Zero },
        { "MemorySoftLimitBytes", options => options.MemorySoftLimitBytes = 1 << 20 },
        { "MemorySoftLimitBytes", options => (options.MemorySoftLimitBytes, options.MemoryLimitBytes) = (256 << 20, 256 << 20) },
        { "MaxRetries", options => options.MaxRetries = -1 },
        { "QuarantineKills", options => options.QuarantineKills = 101 },
        { "SilenceTimeout", options => options.SilenceTimeout = TimeSpan.Zero },
        { "ControlGroup", options => options.ControlGroup = (ControlGroupUse)7 },
        { "ControlGroup", options => (options.ControlGroup, options.ProcessLimit) = (ControlGroupUse.Never, 40) },
        { "ControlGroup", options => (options.ControlGroup, options.CpuLimit) = (ControlGroupUse.Never, 1) },
        { "ProcessLimit", options => options.ProcessLimit = 15 },
        { "CpuLimit", options => options.CpuLimit = 0 },
        { "CpuLimit", options => options.CpuLimit = double.NaN },
        { "OomScoreAdjustment", options => options.OomScoreAdjustment = -1 },
        { "OomScoreAdjustment", options => options.OomScoreAdjustment = 1001 },
        { "InheritedVariables", options => options.InheritedVariables = [""] },
        { "InheritedVariables", options => options.InheritedVariables = ["*"] },
        { "InheritedVariables", options => options.InheritedVariables = ["A*B"] },
        { "InheritedConfiguration", options => options.InheritedConfiguration = [""] },
        { "InheritedConfiguration", options => options.InheritedConfiguration = ["Reports:"] },
        { "InheritedConfiguration", options => options.InheritedConfiguration = [":Reports"] },
        { "InheritedConfiguration", options => options.InheritedConfiguration = ["Reports:*"] },
        { "EnvironmentVariables", options => options.EnvironmentVariables[""] = "x" },
        { "EnvironmentVariables", options => options.EnvironmentVariables["A=B"] = "x" },
        { "EnvironmentVariables:A", options => options.EnvironmentVariables["A"] = "x\0y" },
        { "WorkingDirectory", options => options.WorkingDirectory = "/no/such/directory" },
        { "Command", options => options.Command = [] },
        { "Command", options => options.Command = ["python3", ""] },
        { "Configuration", options => options.Configuration["key"] = new string('x', 1_000_000) },
        { "Dumps.Folder", options => options.Dumps = new DumpOptions() },
        { "Dumps.Folder", options => options.Dumps = new DumpOptions { Folder = "/no/such/directory" } },
        { "Dumps.Folder", options => options.Dumps = new DumpOptions { Folder = "/proc" } },
        { "Dumps.MaxCount", options => options.Dumps = new DumpOptions { Folder = "/tmp", MaxCount = 0 } },
        { "Dumps.MaxCount", options => options.Dumps = new DumpOptions { Folder = "/tmp", MaxCount = 10_001 } },
        { "Dumps.MaxBytes", options => options.Dumps = new DumpOptions { Folder = "/tmp", MaxBytes = (1 << 20) - 1 } },
        { "Dumps", options => (options.Dumps, options.Command) = (new DumpOptions { Folder = "/tmp" }, ["python3", "worker.py"]) },
        { "SharedData", options => options.AddSharedData(new string('x', 65), "/etc/hostname") },
        { "SharedData", options => Enumerable.Range(0, 65).ToList().ForEach(i => options.AddSharedData($"data{i}", "/etc/hostname")) },
        { "SharedData:model", options => options.AddSharedData("model", "/no/such/file") },
        { "SharedData:model", options => options.AddSharedData("model", "/etc") },
    };

    [Theory]
    [MemberData(nameof(Wrong))]
    public void An_invalid_option_is_reported_with_its_value_and_the_next_step(string option, Action<PoolOptions> set)
    {
        var options = new PoolOptions();
        set(options);
        var failure = Assert.Throws<InvalidOperationException>(() => options.Validate("hashing"));
        Assert.StartsWith($"{option} of pool 'hashing' is ", failure.Message, StringComparison.Ordinal);
        Assert.Contains(WeirCodes.InvalidOptions, failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Dumps_and_shared_data_within_their_limits_are_accepted()
    {
        var options = new PoolOptions { Dumps = new DumpOptions { Folder = Path.GetTempPath(), MaxCount = 10_000, MaxBytes = 1 << 20 } };
        options.AddSharedData(new string('x', 64), Environment.ProcessPath!);
        for (var i = 1; i < 64; i++)
        {
            options.AddSharedData($"data{i}", static _ => throw new NotSupportedException());
        }

        options.Validate("hashing");
    }

    [Fact]
    public void A_copy_has_all_options_and_does_not_change_with_the_original()
    {
        var options = new PoolOptions();
        foreach (var property in typeof(PoolOptions).GetProperties().Where(property => property.CanWrite))
        {
            property.SetValue(options, Other(property.PropertyType, property.GetValue(options)));
        }

        options.Configuration["key"] = "value";
        options.EnvironmentVariables["name"] = "value";
        var copy = options.Copy();
        foreach (var property in typeof(PoolOptions).GetProperties().Where(property => property.Name is not (nameof(PoolOptions.WorkingDirectory) or nameof(PoolOptions.Dumps))))
        {
            Assert.Equal(property.GetValue(options), property.GetValue(copy));
        }

        Assert.Equal(Path.GetFullPath("other"), copy.WorkingDirectory);
        options.Dumps!.MaxCount++;
        Assert.Equal((Path.GetFullPath("dumps"), 7, 1L << 30), (copy.Dumps!.Folder, copy.Dumps.MaxCount, copy.Dumps.MaxBytes));
        options.Configuration.Clear();
        options.EnvironmentVariables.Clear();
        options.InheritedVariables!.Clear();
        options.InheritedConfiguration!.Clear();
        options.Processors!.Clear();
        Assert.Equal("value", copy.Configuration["KEY"]);
        Assert.Equal("value", copy.EnvironmentVariables["name"]);
        Assert.NotEmpty(copy.InheritedVariables!);
        Assert.NotEmpty(copy.InheritedConfiguration!);
        Assert.NotEmpty(copy.Processors!);
    }

    [Fact]
    public void Every_scaling_option_reaches_the_decisions()
    {
        var options = new PoolOptions
        {
            StandbyWorkers = 2,
            MaxWorkers = 3,
            Concurrency = 6,
            MaxCallsPerWorker = 4,
            MaxWorkerAge = TimeSpan.FromSeconds(5),
            MemorySoftLimitBytes = 64 << 20,
            MaxRetries = 7,
            QuarantineKills = 8,
            SilenceTimeout = TimeSpan.FromSeconds(9),
        };
        var settings = new PoolDefinition
        {
            Name = "test",
            Options = options,
            Program = new WorkerProgram("", [], new Dictionary<string, string>()),
            Launcher = new ManualLauncher(),
            Operations = [],
            Loggers = Microsoft.Extensions.Logging.Abstractions.NullLoggerFactory.Instance,
            Time = TimeProvider.System,
        }.Settings;
        Assert.Equal((2, 3, 6, 4, 7, 8), (settings.Standby, settings.MaxWorkers, settings.Concurrency, settings.MostTasks, settings.MostRetries, settings.QuarantineKills));
        Assert.Equal((options.MaxWorkerAge, options.MemorySoftLimitBytes, options.SilenceTimeout), (settings.MostAge, settings.SoftMemoryBytes, settings.StallTimeout));
    }

    // A new option belongs to one side or the other; the change that adds it must decide which.
    [Fact]
    public void Every_option_belongs_to_the_pool_or_to_its_workers() =>
        Assert.Equal(
            typeof(PoolOptions).GetProperties().Select(property => property.Name).Order(),
            PoolReload.FixedNames.Concat(PoolReload.SizeNames).Concat(
            [
                "BestEffort", "Configuration", "ControlGroup", "CpuLimit", "Dumps", "EnvironmentVariables", "InheritedConfiguration", "InheritedVariables", "MemoryLimitBytes",
                "OnCrash", "OomScoreAdjustment", "Priority", "ProcessLimit", "Processors", "SharedData", "StartTimeout", "WarmUp", "WorkingDirectory",
            ]).Order());

    // A value that is not the default.
    internal static object Other(Type type, object? value) => value switch
    {
        int number => number + 1,
        bool flag => !flag,
        TimeSpan time => time + TimeSpan.FromSeconds(1),
        ProcessPriorityClass => ProcessPriorityClass.Idle,
        null when type == typeof(long?) => 1L << 30,
        ControlGroupUse => ControlGroupUse.Always,
        null when type == typeof(TimeSpan?) => TimeSpan.FromDays(1),
        null when type == typeof(int?) => 40,
        null when type == typeof(double?) => 0.5,
        null when type == typeof(Action<CrashReport>) => (Action<CrashReport>)(static _ => { }),
        null when type == typeof(string) => "other",
        null when type == typeof(DumpOptions) => new DumpOptions { Folder = "dumps", MaxCount = 7 },
        null when type == typeof(IList<int>) => new List<int> { 0 },
        null when type == typeof(IReadOnlyList<string>) => new List<string> { "python3", "worker.py" },
        null when type == typeof(IList<string>) => new List<string> { "PATH" },
        _ => throw new NotSupportedException($"say here what another {type} is"),
    };
}
