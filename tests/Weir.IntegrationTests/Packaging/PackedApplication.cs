using System.Text.RegularExpressions;
using Weir.IntegrationTests.Packaging;
using Xunit;

[assembly: AssemblyFixture(typeof(PackedApplication))]

namespace Weir.IntegrationTests.Packaging;

/// <summary>
/// Weir packed to a folder, and the program of the README built from these packages, far from this repository: no project
/// reference and no Directory.Build file helps it.
/// </summary>
public sealed partial class PackedApplication : IDisposable
{
    /// <summary>Differs from every version that may be installed on the machine.</summary>
    public const string Version = "0.0.0-packed";

    private readonly string _folder = Directory.CreateTempSubdirectory("weir-packed-").FullName;
    private readonly SemaphoreSlim _gate = new(1);
    private bool _isBuilt;

    /// <summary>Where the packages are.</summary>
    public string Feed => Path.Combine(_folder, "feed");

    /// <summary>The <c>NuGet.config</c> that takes Weir from there.</summary>
    public string PackageSources => Path.Combine(_folder, "app", "NuGet.config");

    /// <summary>Where the built program is.</summary>
    public string Output => Path.Combine(_folder, "app", "out");

    /// <summary>The page whose first C# block is the program.</summary>
    public string Readme { get; } = File.ReadAllText(Path.Combine(RepositoryRoot.Path, "README.md"));

    /// <summary>Packs and builds, once.</summary>
    public async Task BuildAsync()
    {
        await _gate.WaitAsync(TestContext.Current.CancellationToken);
        try
        {
            if (!_isBuilt)
            {
                await PackAsync();
                await BuildProgramAsync();
                _isBuilt = true;
            }
        }
        finally
        {
            _gate.Release();
        }
    }

    public void Dispose()
    {
        DotnetCommand.EndCompiler();
        _gate.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    private Task<string> PackAsync() => DotnetCommand.RunAsync(
        RepositoryRoot.Path, "pack", "Weir.slnx", "--no-build", "--configuration", RepositoryRoot.Configuration,
        "--output", Feed, $"-p:PackageVersion={Version}", "-maxCpuCount:1", "-verbosity:quiet");

    private async Task BuildProgramAsync()
    {
        var app = Directory.CreateDirectory(Path.Combine(_folder, "app")).FullName;
        await WriteAsync("Program.cs", FirstProgram().Match(Readme).Groups["code"].Value);
        // The generator throws, which is a warning, where the compiler cannot load what reads schedules.
        await WriteAsync("INightly.cs", "[Weir.Service] public interface INightly { [Weir.Job, Weir.Schedule(\"0 3 * * *\")] Task Clean(); }");
        await WriteAsync("App.csproj", $"""
            <Project Sdk="Microsoft.NET.Sdk.Web">
              <PropertyGroup>
                <TargetFramework>net10.0</TargetFramework>
                <Nullable>enable</Nullable>
                <ImplicitUsings>enable</ImplicitUsings>
                <TreatWarningsAsErrors>true</TreatWarningsAsErrors>
              </PropertyGroup>
              <ItemGroup>
                <PackageReference Include="Weir.AspNetCore" Version="{Version}" />
              </ItemGroup>
            </Project>
            """);

        // Our packages from the feed, into a cache that goes with the test; everything else was restored for this repository.
        await WriteAsync("NuGet.config", $"""
            <configuration>
              <config><add key="globalPackagesFolder" value="{Path.Combine(_folder, "cache")}" /></config>
              <packageSources><clear /><add key="feed" value="{Feed}" /></packageSources>
              <fallbackPackageFolders><clear /><add key="restored" value="{RestoredPackages()}" /></fallbackPackageFolders>
            </configuration>
            """);
        await DotnetCommand.RunAsync(app, ["build", "--configuration", "Release", "--output", Output, .. DotnetCommand.CompilerArguments]);

        Task WriteAsync(string name, string text) =>
            File.WriteAllTextAsync(Path.Combine(app, name), text, TestContext.Current.CancellationToken);
    }

    private static string RestoredPackages() =>
        Environment.GetEnvironmentVariable("NUGET_PACKAGES") is { Length: > 0 } chosen
            ? chosen
            : Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".nuget", "packages");

    [GeneratedRegex("^```csharp\n(?<code>.*?)^```$", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex FirstProgram();
}
