using Weir.Execution.Pools.Definition;

namespace Weir.Tests.Processes;

public class WorkerEnvironmentTests
{
    [Theory]
    [InlineData("DOTNET_STARTUP_HOOKS")]
    [InlineData("CORECLR_ENABLE_PROFILING")]
    [InlineData("CORECLR_PROFILER_PATH_64")]
    [InlineData("COR_PROFILER")]
    [InlineData("DOTNET_WATCH")]
    [InlineData("DOTNET_WATCH_HOTRELOAD_NAMEDPIPE_NAME")]
    [InlineData("DOTNET_MODIFIABLE_ASSEMBLIES")]
    [InlineData("DOTNET_DiagnosticPorts")]
    [InlineData("DOTNET_EnableEventPipe")]
    [InlineData("ASPNETCORE_HOSTINGSTARTUPASSEMBLIES")]
    [InlineData("LD_PRELOAD")]
    [InlineData("NOTIFY_SOCKET")]
    [InlineData("LISTEN_FDS")]
    [InlineData("NODE_OPTIONS")]
    [InlineData("PYTHONINSPECT")]
    public void Variables_that_would_run_or_attach_foreign_code_are_removed(string name) =>
        Assert.False(WorkerEnvironment.From([new(name, "x")], new PoolOptions()).ContainsKey(name));

    [Theory]
    [InlineData("PATH")]
    [InlineData("PYTHONPATH")]
    [InlineData("NODE_PATH")]
    [InlineData("LD_LIBRARY_PATH")]
    [InlineData("DOTNET_ROOT")]
    [InlineData("DOTNET_TieredPGO")]
    [InlineData("CORPORATE_PROXY")]
    public void Everything_else_stays(string name) =>
        Assert.Equal("x", WorkerEnvironment.From([new(name, "x")], new PoolOptions())[name]);

    [Fact]
    public void The_worker_uses_workstation_garbage_collection_regardless_of_the_host()
    {
        var worker = WorkerEnvironment.From([new("DOTNET_gcServer", "1"), new("COMPlus_gcServer", "1"), new("DOTNET_EnableDiagnostics", "1")], new PoolOptions());
        Assert.Equal("0", worker["DOTNET_gcServer"]);
        Assert.Equal("0", worker["DOTNET_gcConcurrent"]);
        Assert.Equal("0", worker["DOTNET_EnableDiagnostics"]);
        Assert.False(worker.ContainsKey("COMPlus_gcServer"));
    }

    [Fact]
    public void Only_allowed_variables_are_inherited()
    {
        var options = new PoolOptions { InheritedVariables = ["PATH", "DB_*", "DOTNET_STARTUP_HOOKS"] };
        var worker = WorkerEnvironment.From(
            [new("PATH", "1"), new("Path", "2"), new("PATHS", "3"), new("DB_HOST", "4"), new("DB_", "5"), new("HOME", "6"), new("DOTNET_STARTUP_HOOKS", "7")], options);
        Assert.Equal(["DB_", "DB_HOST", "PATH"], worker.Keys.Where(name => !name.StartsWith("DOTNET_", StringComparison.Ordinal)).Order());
        Assert.False(worker.ContainsKey("DOTNET_STARTUP_HOOKS"));
        Assert.Equal("0", worker["DOTNET_gcServer"]);
    }

    [Fact]
    public void An_empty_list_inherits_nothing() =>
        Assert.All(WorkerEnvironment.From([new("PATH", "1"), new("HOME", "2")], new PoolOptions { InheritedVariables = [] }).Keys, name => Assert.StartsWith("DOTNET_", name, StringComparison.Ordinal));

    [Fact]
    public void Where_the_runtime_is_an_empty_list_does_not_hide() =>
        Assert.Equal(
            ["1", "2"],
            WorkerEnvironment.From([new("DOTNET_ROOT", "1"), new("DOTNET_ROOT_X64", "2")], new PoolOptions { InheritedVariables = [] })
                .Where(static pair => pair.Key.StartsWith("DOTNET_ROOT", StringComparison.Ordinal)).Select(static pair => pair.Value).Order());

    [Fact]
    public void Variables_set_in_the_options_override_all_others()
    {
        var options = new PoolOptions { InheritedVariables = [] };
        options.EnvironmentVariables["DOTNET_gcServer"] = "1";
        options.EnvironmentVariables["WORD"] = "Hello";
        var worker = WorkerEnvironment.From([new("WORD", "host")], options);
        Assert.Equal("1", worker["DOTNET_gcServer"]);
        Assert.Equal("Hello", worker["WORD"]);
    }

    [Fact]
    public void The_limits_of_the_runtime_are_passed_in_its_own_number_format()
    {
        var worker = WorkerEnvironment.From([], new PoolOptions { MemoryLimitBytes = 512 << 20, CpuLimit = 10.5 });
        Assert.Equal("18000000", worker["DOTNET_GCHeapHardLimit"]);
        Assert.Equal("11", worker["DOTNET_PROCESSOR_COUNT"]);
        Assert.Equal("1", WorkerEnvironment.From([], new PoolOptions { CpuLimit = 0.1 })["DOTNET_PROCESSOR_COUNT"]);
        Assert.False(WorkerEnvironment.From([], new PoolOptions()).ContainsKey("DOTNET_GCHeapHardLimit"));
    }
}
