using Weir.Execution.Pools.Definition;
using Weir.Execution.Processes;

namespace Weir.Tests.Processes;

public class WorkerCommandTests
{
    private const string Deps = "/app/My.App.deps.json;/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.1/Microsoft.NETCore.App.deps.json";
    private static readonly string Assemblies = string.Join(
        Path.PathSeparator,
        "/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.1/System.Private.CoreLib.dll", "/app/My.App.dll", "/app/Weir.Worker.dll");

    private static readonly string OwnRuntime = string.Join(Path.PathSeparator, "/app/System.Private.CoreLib.dll", "/app/My.App.dll", "/app/Weir.Worker.dll");

    [Fact]
    public void The_first_dependency_file_is_the_applications()
    {
        var command = WorkerCommand.Find(Deps, Assemblies, executable: null, _ => true);
        Assert.Equal("/usr/share/dotnet/dotnet", command.FileName);
        Assert.Equal(
            ["exec", "--depsfile", "/app/My.App.deps.json", "--runtimeconfig", "/app/My.App.runtimeconfig.json", "/app/Weir.Worker.dll"],
            command.Arguments);
        Assert.True(command.LoadsApplication);
    }

    [Theory]
    [InlineData("/srv/My.App/1.2")]
    [InlineData("/src/My.App/out")]
    public void An_application_in_a_folder_below_its_name_is_no_framework(string folder)
    {
        var command = WorkerCommand.Find($"{folder}/My.App.deps.json", Assemblies.Replace("/app", folder, StringComparison.Ordinal), executable: null, _ => true);
        Assert.Equal($"{folder}/My.App.deps.json", command.Arguments[2]);
    }

    [Theory]
    [InlineData("/usr/share/dotnet/dotnet")]
    [InlineData("/usr/share/dotnet/DOTNET.EXE")]
    public void An_application_that_dotnet_runs_without_its_files_is_to_be_started_by_its_own_executable(string executable)
    {
        var refused = Assert.Throws<LaunchException>(() => WorkerCommand.Find(null, Assemblies, executable, _ => true));
        Assert.Contains("start its own executable", refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("first line", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/app/Weir.Worker.dll", true, "/app/Weir.Worker.dll")]
    [InlineData("/app/runtimes/linux-x64/lib/net10.0/Weir.Worker.dll", true, "/app/Weir.Worker.dll")]
    [InlineData("/elsewhere/Weir.Worker.dll", false, "/elsewhere/Weir.Worker.dll")]
    public void The_worker_is_started_from_the_folder_of_the_dependency_file_regardless_of_the_loaded_image(string loaded, bool isBeside, string started)
    {
        var command = WorkerCommand.Find(Deps, Assemblies.Replace("/app/Weir.Worker.dll", loaded, StringComparison.Ordinal), executable: null, path => isBeside || path != "/app/Weir.Worker.dll");
        Assert.Equal(started, command.Arguments[^1]);
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("/app/single")]
    public void Without_a_dependency_file_the_error_says_why(string? deps) => Refused(deps, Assemblies, _ => true, "APP.deps.json");

    // The properties of such a process: only the files of the frameworks are files on disk.
    [Theory]
    [InlineData("/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.1/Microsoft.NETCore.App.deps.json")]
    [InlineData("/usr/share/dotnet/shared/Microsoft.AspNetCore.App/10.0.1/Microsoft.AspNetCore.App.deps.json;/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.1/Microsoft.NETCore.App.deps.json")]
    public void A_single_file_is_named_as_the_reason(string deps) =>
        Refused(deps, "/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.1/System.Private.CoreLib.dll", _ => true, "published as a single file");

    [Fact]
    public void A_self_contained_application_is_named_as_the_reason_whatever_lies_above_its_folder() =>
        Refused("/app/My.App.deps.json", OwnRuntime, _ => true, "the application is self-contained");

    // Self-contained, a single file with the installed runtime, a self-contained single file, native.
    [Theory]
    [InlineData("/app/My.App.deps.json", "/app/System.Private.CoreLib.dll:/app/Weir.Worker.dll")]
    [InlineData("/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.1/Microsoft.NETCore.App.deps.json", "/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.1/System.Private.CoreLib.dll")]
    [InlineData("", "")]
    [InlineData(null, null)]
    public void A_program_that_has_called_its_entry_point_is_its_own_worker(string? deps, string? assemblies)
    {
        var command = WorkerCommand.Find(deps, assemblies?.Replace(':', Path.PathSeparator), "/app/My.App", _ => true);
        Assert.Equal("/app/My.App", command.FileName);
        Assert.Equal(["--weir-worker"], command.Arguments);
        Assert.False(command.LoadsApplication);
    }

    [Fact]
    public void Where_the_files_are_there_the_entry_point_is_not_used() =>
        Assert.Equal("/usr/share/dotnet/dotnet", WorkerCommand.Find(Deps, Assemblies, "/app/My.App", _ => true).FileName);

    [Theory]
    [InlineData("/usr/share/dotnet/dotnet")]
    [InlineData("/usr/share/dotnet/dotnet.exe")]
    public void Dotnet_is_no_applications_executable(string executable)
    {
        var failure = Assert.Throws<LaunchException>(() => WorkerCommand.Find(Deps, Assemblies, executable, static path => path != "/app/My.App.runtimeconfig.json"));
        Assert.Contains("/app/My.App.runtimeconfig.json does not exist", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_worker_that_is_not_deployed_is_named() => Refused(Deps, "/app/My.App.dll", _ => true, "Weir.Worker.dll");

    [Theory]
    [InlineData("/app/My.App.deps.json")]
    [InlineData("/app/My.App.runtimeconfig.json")]
    [InlineData("/app/Weir.Worker.dll")]
    [InlineData("/usr/share/dotnet/dotnet")]
    public void A_missing_file_is_named(string missing) => Refused(Deps, Assemblies, path => path != missing, missing);

    private static void Refused(string? deps, string assemblies, Func<string, bool> exists, string named)
    {
        var failure = Assert.Throws<LaunchException>(() => WorkerCommand.Find(deps, assemblies, executable: null, exists));
        Assert.Equal(WeirCodes.WorkerCommandUnknown, failure.Code);
        Assert.Contains(named, failure.Message, StringComparison.Ordinal);
        Assert.Contains("'if (WeirWorker.TryRun(args)) return;'", failure.Message, StringComparison.Ordinal);
        Assert.Contains("RunInline", failure.Message, StringComparison.Ordinal);
    }
}
