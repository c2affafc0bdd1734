using System.Diagnostics;
using Weir.IntegrationTests.Packaging;
using Weir.IntegrationTests.Processes;
using Xunit;

namespace Weir.IntegrationTests.House;

/// <summary>A folder with the real <c>test.sh</c>, and a <c>dotnet</c> that does what the test says.</summary>
internal sealed class ScriptedHouse : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("weir-house-");
    private readonly Dictionary<string, string> _steps = [];

    public ScriptedHouse() => File.Copy(Path.Combine(RepositoryRoot.Path, "test.sh"), At("test.sh"));

    /// <summary>What the script prints in the end.</summary>
    public sealed record Outcome(int ExitCode, string Output)
    {
        public string LastLine => Output.TrimEnd('\n').Split('\n')[^1];
    }

    /// <summary>A test project whose run does what a piece of shell says; <c>$xml</c> is where its figures go.</summary>
    public ScriptedHouse WithProject(string name, string shell)
    {
        Directory.CreateDirectory(At($"tests/{name}"));
        File.WriteAllText(At($"tests/{name}/{name}.csproj"), """<Project><PackageReference Include="xunit.v3" /></Project>""");
        return WithStep($"*/{name}.dll", $"shift; while [ \"$1\" != -xml ]; do shift; done; xml=$2; {shell}");
    }

    /// <summary>A test project with these figures.</summary>
    public ScriptedHouse WithResult(string name, int passed, int failed, int skipped = 0, int errors = 0) =>
        WithProject(name, $"""
            echo '<assemblies><assembly name="{name}" passed="{passed}" failed="{failed}" skipped="{skipped}" errors="{errors}"><collection passed="9" /></assembly></assemblies>' > "$xml"
            exit {Math.Min(1, failed + errors)}
            """);

    /// <summary>What a command of the SDK does, as <c>build</c>.</summary>
    public ScriptedHouse WithStep(string command, string shell)
    {
        _steps[command] = shell;
        return this;
    }

    /// <summary>Runs the script as continuous integration does.</summary>
    public async Task<Outcome> RunAsync(params string[] arguments)
    {
        using var process = await StartAsync(arguments);
        return await EndAsync(process);
    }

    /// <summary>Starts the script.</summary>
    public async Task<Process> StartAsync(params string[] arguments)
    {
        var cases = string.Join('\n', _steps.Select(step => $"{step.Key}) {step.Value} ;;"));
        Directory.CreateDirectory(At("bin"));
        await File.WriteAllTextAsync(At("bin/dotnet"), $"#!/bin/bash\ncase $1 in\n{cases}\nesac\n", TestContext.Current.CancellationToken);

        var start = new ProcessStartInfo("/bin/bash", ["-c", "chmod +x bin/dotnet && exec ./test.sh --no-install \"$@\"", "test.sh", .. arguments])
        {
            WorkingDirectory = _folder.FullName,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment["PATH"] = $"{At("bin")}:/usr/bin:/bin";
        start.Environment["WEIR_TEST_TIMEOUT"] = "1s";
        return Process.Start(start)!;
    }

    /// <summary>Waits for the script's end.</summary>
    public static async Task<Outcome> EndAsync(Process process)
    {
        var output = await process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken).WithinAsync(30);
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);
        return new Outcome(process.ExitCode, output);
    }

    /// <summary>A path within the folder.</summary>
    public string At(string path) => Path.Combine(_folder.FullName, path);

    public void Dispose() => _folder.Delete(recursive: true);
}
