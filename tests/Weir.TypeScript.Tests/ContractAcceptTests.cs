using System.Diagnostics;
using System.Text.Json.Nodes;
using Weir.Cli;
using Weir.Cli.Terminal;
using Weir.IntegrationTests.Packaging;
using Weir.Runtime;
using Weir.TypeScript.Tests.Application;
using Xunit;

namespace Weir.TypeScript.Tests;

/// <summary><c>weir contract accept</c>, and the build of a project that has accepted a contract.</summary>
public sealed class ContractAcceptTests : IDisposable
{
    private static readonly string Generator = Path.Combine(RepositoryRoot.Path, "src", "Weir.Generator", "bin", RepositoryRoot.Configuration, "netstandard2.0", "Weir.Generator.dll");

    private readonly string _folder = Directory.CreateTempSubdirectory("weir-contract-").FullName;

    [Fact]
    public async Task The_contract_of_an_assembly_is_written_without_what_callers_do_not_need()
    {
        var file = Path.Combine(_folder, "weir.contract.json");
        Assert.Equal(0, (await RunAsync("contract", "accept", "--assembly", typeof(Echo).Assembly.Location, "--out", file)).Code);
        var text = await File.ReadAllTextAsync(file, TestContext.Current.CancellationToken);
        Assert.Equal(["Echo", "Mirror", "Names", "Reports"], JsonNode.Parse(text)!["services"]!.AsArray().Select(static one => (string)one!["service"]!));
        Assert.DoesNotContain("\"docs\"", text, StringComparison.Ordinal);
        Assert.DoesNotContain("\"signature\"", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_project_that_breaks_its_accepted_contract_builds_again_once_the_change_is_accepted()
    {
        var project = Path.Combine(_folder, "Shop.csproj");
        await File.WriteAllTextAsync(
            project,
            $"""
            <Project Sdk="Microsoft.NET.Sdk">
              <Import Project="{RepositoryRoot.Path}/src/Weir.Abstractions/buildTransitive/Weir.Abstractions.props" />
              <PropertyGroup><TargetFramework>net10.0</TargetFramework><Nullable>enable</Nullable></PropertyGroup>
              <ItemGroup><Reference Include="{AppContext.BaseDirectory}Weir.Abstractions.dll" /><Analyzer Include="{Generator}" /></ItemGroup>
            </Project>
            """,
            TestContext.Current.CancellationToken);
        await WriteAsync("int");
        var (code, _, error) = await RunAsync("contract", "accept", "--project", _folder);
        Assert.True(code == 0, error);
        await BuildAsync(0, "");

        await WriteAsync("long");
        await BuildAsync(1, "): error WEIR1053: Shop/Count: the result is int64, and was int32.");
        (code, _, error) = await RunAsync("contract", "accept", "--project", project);
        Assert.True(code == 0, error);
        await BuildAsync(0, "");

        await File.WriteAllTextAsync(Path.Combine(_folder, "IShop.cs"), "nonsense", TestContext.Current.CancellationToken);
        (code, _, error) = await RunAsync("contract", "accept", "--project", project);
        Assert.Equal(1, code);
        Assert.Contains("error CS", error, StringComparison.Ordinal);
        Assert.EndsWith($"weir: {project} does not build.\n", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--project 'missing.csproj' does not exist.", "--project", "missing.csproj")]
    [InlineData("'.' has no .csproj; give --project or --assembly.")]
    [InlineData("--assembly is given beside --project or --framework", "--assembly", "a.dll", "--project", "b.csproj")]
    [InlineData("'missing.dll' cannot be read:", "--assembly", "missing.dll")]
    [InlineData("'text.dll' is no .NET assembly", "--assembly", "text.dll")]
    public async Task A_wrong_input_is_named(string expected, params string[] arguments)
    {
        await File.WriteAllTextAsync(Path.Combine(_folder, "text.dll"), "no assembly", TestContext.Current.CancellationToken);
        var (code, _, error) = await RunAsync(["contract", "accept", .. arguments]);
        Assert.Equal(2, code);
        Assert.StartsWith("weir: " + expected, error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_assembly_without_services_has_no_contract()
    {
        var (code, _, error) = await RunAsync("contract", "accept", "--assembly", typeof(WeirContractAttribute).Assembly.Location);
        Assert.Equal(2, code);
        Assert.Contains("has no contract: it declares no service", error, StringComparison.Ordinal);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private Task WriteAsync(string type) => File.WriteAllTextAsync(
        Path.Combine(_folder, "IShop.cs"), $"using System.Threading.Tasks;\n[Weir.Service] public interface IShop {{ Task<{type}> Count(); }}\n", TestContext.Current.CancellationToken);

    private async Task BuildAsync(int expected, string message)
    {
        var start = new ProcessStartInfo("dotnet", ["build", "-nologo", "--disable-build-servers"]) { WorkingDirectory = _folder, RedirectStandardOutput = true };
        using var build = Process.Start(start)!;
        var output = await build.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        await build.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.True(build.ExitCode == expected, output);
        Assert.Contains(message, output, StringComparison.Ordinal);
    }

    private async Task<(int Code, string Output, string Error)> RunAsync(params string[] arguments)
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var error = new StringWriter { NewLine = "\n" };
        var console = new CommandConsole { Input = Stream.Null, Output = Stream.Null, Out = output, Error = error, Folder = _folder };
        var code = await WeirCommandLine.RunAsync(arguments, console, TestContext.Current.CancellationToken);
        return (code, output.ToString(), error.ToString());
    }
}
