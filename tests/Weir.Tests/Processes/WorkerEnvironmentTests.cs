using Weir.Execution.Processes;

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
    public void What_would_run_or_attach_foreign_code_is_removed(string name) =>
        Assert.False(WorkerEnvironment.From([new(name, "x")]).ContainsKey(name));

    [Theory]
    [InlineData("PATH")]
    [InlineData("LD_LIBRARY_PATH")]
    [InlineData("DOTNET_ROOT")]
    [InlineData("DOTNET_TieredPGO")]
    [InlineData("CORPORATE_PROXY")]
    public void Everything_else_stays(string name) =>
        Assert.Equal("x", WorkerEnvironment.From([new(name, "x")])[name]);

    [Fact]
    public void The_collector_is_the_small_one_whatever_the_host_uses()
    {
        var worker = WorkerEnvironment.From([new("DOTNET_gcServer", "1"), new("COMPlus_gcServer", "1"), new("DOTNET_EnableDiagnostics", "1")]);
        Assert.Equal("0", worker["DOTNET_gcServer"]);
        Assert.Equal("0", worker["DOTNET_gcConcurrent"]);
        Assert.Equal("0", worker["DOTNET_EnableDiagnostics"]);
        Assert.False(worker.ContainsKey("COMPlus_gcServer"));
    }
}
