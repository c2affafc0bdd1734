using System.IO.Compression;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Runtime.InteropServices;
using System.Xml.Linq;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Showcase;
using Xunit;

namespace Weir.IntegrationTests.Packaging;

[Collection(nameof(Publishing))]
public sealed class PackageTests(PackedApplication packed)
{
    [Fact]
    public async Task Exactly_the_shipped_libraries_are_packed()
    {
        await packed.BuildAsync();
        Assert.Equal(
            ["Weir.Abstractions", "Weir.AspNetCore", "Weir.Cli", "Weir.Client", "Weir.Client.Extensions", "Weir.Dashboard", "Weir.Execution", "Weir.Http", "Weir.Jobs", "Weir.Jobs.AspNetCore", "Weir.Jobs.PostgreSql", "Weir.Jobs.RabbitMq", "Weir.Jobs.Sqlite", "Weir.Load", "Weir.OpenApi", "Weir.Protocol", "Weir.Templates", "Weir.Worker"],
            Directory.GetFiles(packed.Feed, "*.nupkg").Select(file => Path.GetFileName(file).Split(".0.0.0")[0]).Order());
    }

    [Fact]
    public async Task Every_package_carries_its_readme_icon_repository_tags_and_symbols()
    {
        await packed.BuildAsync();
        foreach (var package in Directory.GetFiles(packed.Feed, "*.nupkg"))
        {
            await using var file = await ZipFile.OpenReadAsync(package, TestContext.Current.CancellationToken);
            await using var nuspec = await file.Entries.Single(static entry => entry.Name.EndsWith(".nuspec", StringComparison.Ordinal)).OpenAsync(TestContext.Current.CancellationToken);
            var metadata = (await XDocument.LoadAsync(nuspec, LoadOptions.None, TestContext.Current.CancellationToken)).Descendants().ToLookup(static element => element.Name.LocalName);

            Assert.Equal("MIT", metadata["license"].Single().Value);
            Assert.NotEqual("Package Description", metadata["description"].Single().Value);
            Assert.Contains("aot", metadata["tags"].Single().Value.Split(' '));
            Assert.Equal("https://github.com/weir-dotnet/weir.git", metadata["repository"].Single().Attribute("url")!.Value);
            Assert.Equal(40, metadata["repository"].Single().Attribute("commit")!.Value.Length);
            Assert.NotNull(file.GetEntry(metadata["readme"].Single().Value));
            Assert.NotNull(file.GetEntry(metadata["icon"].Single().Value));

            if (metadata["packageType"].Any(static type => type.Attribute("name")!.Value == "Template"))
            {
                // It has no assembly.
                continue;
            }

            await using var symbols = await ZipFile.OpenReadAsync(Path.ChangeExtension(package, ".snupkg"), TestContext.Current.CancellationToken);
            Assert.Contains(symbols.Entries, static entry => entry.Name.EndsWith(".pdb", StringComparison.Ordinal));
        }
    }

    [Fact]
    public async Task The_package_with_the_generator_carries_what_the_generator_needs_and_its_license()
    {
        await packed.BuildAsync();
        await using var file = await ZipFile.OpenReadAsync(Path.Combine(packed.Feed, $"Weir.Abstractions.{PackedApplication.Version}.nupkg"), TestContext.Current.CancellationToken);
        Assert.Equal(
            ["analyzers/dotnet/cs/Cronos.dll", "analyzers/dotnet/cs/Weir.CodeFixes.dll", "analyzers/dotnet/cs/Weir.Generator.dll", "licenses/Cronos/LICENSE"],
            file.Entries.Select(static entry => entry.FullName).Where(static name => name.StartsWith("analyzers/", StringComparison.Ordinal) || name.StartsWith("licenses/", StringComparison.Ordinal)).Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task The_worker_lies_beside_the_application_without_a_configuration_of_its_own()
    {
        await packed.BuildAsync();
        Assert.Equal(["Weir.Worker.dll"], Directory.GetFiles(packed.Output, "Weir.Worker*").Select(Path.GetFileName));
        Assert.Contains("\"lib/net10.0/Weir.Worker.dll\"", await File.ReadAllTextAsync(Path.Combine(packed.Output, "App.deps.json"), TestContext.Current.CancellationToken), StringComparison.Ordinal);
    }

    /// <summary>Compiled ahead of time, where this repository is built for that; on another machine the assembly itself is loaded.</summary>
    [Theory]
    [InlineData("Weir.Abstractions")]
    [InlineData("Weir.Protocol")]
    [InlineData("Weir.Worker")]
    [InlineData("Weir.Execution")]
    [InlineData("Weir.AspNetCore")]
    public async Task An_application_gets_the_assemblies_and_their_precompiled_images(string assembly)
    {
        Assert.SkipUnless(RuntimeInformation.RuntimeIdentifier.EndsWith("-x64", StringComparison.Ordinal) && OperatingSystem.IsLinux() && RepositoryRoot.Configuration == "Release", "Images are made in Release, for linux-x64.");
        await packed.BuildAsync();

        var plain = Path.Combine(packed.Output, $"{assembly}.dll");
        var image = Path.Combine(packed.Output, "runtimes", "linux-x64", "lib", "net10.0", $"{assembly}.dll");

        Assert.Equal([false, true], [HasNativeCode(plain), HasNativeCode(image)]);
        Assert.Equal(BuildOf(plain), BuildOf(image));

        static bool HasNativeCode(string path)
        {
            using var file = new PEReader(File.OpenRead(path));
            return file.PEHeaders.CorHeader!.ManagedNativeHeaderDirectory.Size > 0;
        }

        static Guid BuildOf(string path)
        {
            using var file = new PEReader(File.OpenRead(path));
            var metadata = file.GetMetadataReader();
            return metadata.GetGuid(metadata.GetModuleDefinition().Mvid);
        }
    }

    [Fact]
    public async Task The_program_of_the_readme_serves_streams_and_isolates_from_packages()
    {
        await packed.BuildAsync();
        await using var application = await ShowcaseProcess.StartAsync(assembly: Path.Combine(packed.Output, "App.dll"));

        Assert.Equal("Hello, Ada", await GetAsync("Greeter/Hello?name=Ada"));
        Assert.Equal("1\n2\n3\n", await GetAsync("Greeter/Count.ndjson?to=3"));
        Assert.Equal("done", await GetAsync("Greeter/Legacy?ms=1"));
        Assert.Contains(await GetAsync("Greeter/WhoAmI"), application.Workers().Select(pid => $"{pid}"));
        Assert.Equal(0, await application.TerminateAsync());

        Task<string> GetAsync(string path) => application.Client.GetStringAsync(path, TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task The_program_of_the_readme_prints_what_the_readme_shows()
    {
        await packed.BuildAsync();
        await using var application = await ShowcaseProcess.StartAsync(assembly: Path.Combine(packed.Output, "App.dll"));
        var sessions = ShellSessions.Read(packed.Readme);
        Assert.Equal(5, sessions.Length);

        foreach (var (command, shown) in sessions)
        {
            await ShellSessions.AssertPrintsAsync(
                command.Replace("http://localhost:5000", application.Address.GetLeftPart(UriPartial.Authority), StringComparison.Ordinal), shown);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_template_makes_an_application_that_builds_and_serves(bool managesVersionsCentrally)
    {
        await packed.BuildAsync();
        var folder = Directory.CreateTempSubdirectory("weir-template-").FullName;
        try
        {
            var hive = Path.Combine(folder, "hive");
            await DotnetCommand.RunAsync(folder, "new", "install", Path.Combine(packed.Feed, $"Weir.Templates.{PackedApplication.Version}.nupkg"), "--debug:custom-hive", hive);
            await DotnetCommand.RunAsync(folder, "new", "weir", "--name", "Shop", "--debug:custom-hive", hive);
            File.Copy(packed.PackageSources, Path.Combine(folder, "NuGet.config"));
            if (managesVersionsCentrally)
            {
                await File.WriteAllTextAsync(
                    Path.Combine(folder, "Directory.Packages.props"),
                    "<Project><PropertyGroup><ManagePackageVersionsCentrally>true</ManagePackageVersionsCentrally></PropertyGroup></Project>",
                    TestContext.Current.CancellationToken);
            }

            await DotnetCommand.RunAsync(Path.Combine(folder, "Shop"), ["build", "--output", Path.Combine(folder, "out"), .. DotnetCommand.CompilerArguments]);

            await using var application = await ShowcaseProcess.StartAsync(assembly: Path.Combine(folder, "out", "Shop.dll"));
            Assert.Equal("Hello, Ada", await application.Client.GetStringAsync("Greeter/Hello?name=Ada", TestContext.Current.CancellationToken));
            Assert.NotEqual("", await application.Client.GetStringAsync("Greeter/WhoAmI", TestContext.Current.CancellationToken));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public async Task A_project_that_follows_the_guide_to_OpenAPI_builds_and_serves_its_document()
    {
        await packed.BuildAsync();
        var folder = Directory.CreateTempSubdirectory("weir-openapi-").FullName;
        try
        {
            var guide = await File.ReadAllTextAsync(Path.Combine(RepositoryRoot.Path, "docs", "guide", "openapi.md"), TestContext.Current.CancellationToken);
            var shown = guide.Split("```cs\n")[1].Split("```")[0];
            await WriteAsync("Program.cs", $"""
                using Weir;

                var builder = WebApplication.CreateBuilder(args);
                {shown}
                app.Run();

                [Service]
                public sealed class Greeter
                {"{"}
                    /// <summary>Greets.</summary>
                    [Get] public string Hello(string name) => $"Hello, {"{"}name{"}"}";
                {"}"}
                """);
            await WriteAsync("Documented.csproj", $"""
                <Project Sdk="Microsoft.NET.Sdk.Web">
                  <PropertyGroup><TargetFramework>net10.0</TargetFramework><Nullable>enable</Nullable><ImplicitUsings>enable</ImplicitUsings><TreatWarningsAsErrors>true</TreatWarningsAsErrors></PropertyGroup>
                  <ItemGroup>
                    <PackageReference Include="Weir.AspNetCore" Version="{PackedApplication.Version}" />
                    <PackageReference Include="Weir.OpenApi" Version="{PackedApplication.Version}" />
                  </ItemGroup>
                </Project>
                """);
            File.Copy(packed.PackageSources, Path.Combine(folder, "NuGet.config"));
            await DotnetCommand.RunAsync(folder, ["build", "--output", Path.Combine(folder, "out"), .. DotnetCommand.CompilerArguments]);

            await using var application = await ShowcaseProcess.StartAsync(assembly: Path.Combine(folder, "out", "Documented.dll"));
            Assert.Contains("\"Greets.\"", await application.Client.GetStringAsync("openapi/v1.json", TestContext.Current.CancellationToken), StringComparison.Ordinal);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }

        Task WriteAsync(string name, string text) => File.WriteAllTextAsync(Path.Combine(folder, name), text, TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task A_project_in_Visual_Basic_is_warned_that_it_gets_no_client()
    {
        await packed.BuildAsync();
        var folder = Directory.CreateTempSubdirectory("weir-vb-").FullName;
        try
        {
            await WriteAsync("Program.vb", "Module Program\n  Sub Main()\n  End Sub\nEnd Module\n");
            await WriteAsync("Caller.vbproj", $"""
                <Project Sdk="Microsoft.NET.Sdk">
                  <PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework></PropertyGroup>
                  <ItemGroup><PackageReference Include="Weir.Client" Version="{PackedApplication.Version}" /></ItemGroup>
                </Project>
                """);
            File.Copy(packed.PackageSources, Path.Combine(folder, "NuGet.config"));
            var output = await DotnetCommand.RunAsync(folder, ["build", .. DotnetCommand.CompilerArguments]);
            Assert.Contains("warning WEIR3037: Weir's generator runs in C# projects only. In Caller.vbproj there is no AddWeir", output, StringComparison.Ordinal);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }

        Task WriteAsync(string name, string text) => File.WriteAllTextAsync(Path.Combine(folder, name), text, TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task The_tool_installs_from_a_folder_and_runs()
    {
        await packed.BuildAsync();
        var tools = Directory.CreateTempSubdirectory("weir-tool-").FullName;
        try
        {
            await DotnetCommand.RunAsync(tools, "tool", "install", "Weir.Cli", "--tool-path", tools, "--version", PackedApplication.Version, "--configfile", packed.PackageSources);
            var start = DotnetCommand.StartInfo(tools, "--version");
            start.FileName = Path.Combine(tools, OperatingSystem.IsWindows() ? "weir.exe" : "weir");
            start.Environment["DOTNET_ROOT"] = Path.GetFullPath("../../..", RuntimeEnvironment.GetRuntimeDirectory());
            Assert.Matches("^[0-9]+[.][0-9]+[.][0-9]+", await DotnetCommand.RunAsync(start));

            start.ArgumentList.Clear();
            start.ArgumentList.Add("doctor");
            Assert.Contains("worker processes", await DotnetCommand.RunAsync(start), StringComparison.Ordinal);
        }
        finally
        {
            Directory.Delete(tools, recursive: true);
        }
    }
}
