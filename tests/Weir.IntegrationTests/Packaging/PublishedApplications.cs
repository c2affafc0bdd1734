using System.Runtime.InteropServices;
using Xunit;

namespace Weir.IntegrationTests.Packaging;

/// <summary>One application, built from the packages and published in each mode that the SDK has; each mode once.</summary>
public sealed class PublishedApplications(PackedApplication packed) : IDisposable
{
    private const string Sources = "tests/Weir.IntegrationTests/Packaging/Published";

    private readonly string _folder = Directory.CreateTempSubdirectory("weir-published-").FullName;
    private readonly Dictionary<PublishMode, string> _published = [];

    /// <summary>Publishes the application.</summary>
    /// <returns>The published executable.</returns>
    public async Task<string> PublishAsync(PublishMode mode)
    {
        if (!_published.TryGetValue(mode, out var executable))
        {
            SkipUnlessPossible(mode);
            await packed.BuildAsync();
            await WriteAsync(mode);
            await DotnetCommand.RunAsync(ProjectOf(mode), ["publish", "--configuration", "Release", "--output", "out", .. DotnetCommand.CompilerArguments, .. Properties(mode)]);
            _published[mode] = executable = Path.Combine(OutputOf(mode), "App");
        }

        return executable;
    }

    /// <summary>The files that were published, but for symbols.</summary>
    public IEnumerable<string> FilesOf(PublishMode mode) =>
        Directory.GetFiles(OutputOf(mode)).Select(static path => Path.GetFileName(path)).Where(static name => !name.EndsWith(".pdb", StringComparison.Ordinal) && !name.EndsWith(".dbg", StringComparison.Ordinal));

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private static string[] Properties(PublishMode mode) => mode switch
    {
        PublishMode.FrameworkDependent => ["--no-self-contained"],
        PublishMode.FrameworkDependentSingleFile => ["--no-self-contained", "-p:PublishSingleFile=true"],
        PublishMode.SelfContained => ["--self-contained"],
        PublishMode.SingleFile => ["--self-contained", "-p:PublishSingleFile=true"],
        PublishMode.Trimmed => ["--self-contained", "-p:PublishTrimmed=true"],
        PublishMode.Native => ["-p:PublishAot=true"],
        _ => throw new ArgumentOutOfRangeException(nameof(mode), mode, "Is published in no known way."),
    };

    private static void SkipUnlessPossible(PublishMode mode)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && RuntimeInformation.OSArchitecture == Architecture.X64, "The runtimes to publish with are restored for linux-x64 only.");
        if (mode == PublishMode.Native)
        {
            var folders = Environment.GetEnvironmentVariable("PATH")!.Split(':', StringSplitOptions.RemoveEmptyEntries);
            Assert.SkipUnless(folders.Any(static folder => File.Exists(Path.Combine(folder, "clang")) || File.Exists(Path.Combine(folder, "gcc"))), "Neither clang nor gcc is on the PATH to link with; apt-get install clang.");
            Assert.SkipUnless(File.Exists("/usr/include/zlib.h"), "zlib.h is missing; apt-get install zlib1g-dev.");
        }
    }

    private string ProjectOf(PublishMode mode) => Path.Combine(_folder, mode.ToString());

    private string OutputOf(PublishMode mode) => Path.Combine(ProjectOf(mode), "out");

    private async Task WriteAsync(PublishMode mode)
    {
        var project = Directory.CreateDirectory(ProjectOf(mode)).FullName;
        foreach (var source in Directory.GetFiles(Path.Combine(RepositoryRoot.Path, Sources)))
        {
            File.Copy(source, Path.Combine(project, Path.GetFileName(source)), overwrite: true);
        }

        // Warnings are errors: also what the trimmer and the native compiler say of Weir's assemblies.
        await File.WriteAllTextAsync(
            Path.Combine(project, "App.csproj"),
            $"""
            <Project Sdk="Microsoft.NET.Sdk.Web">
              <PropertyGroup>
                <TargetFramework>net10.0</TargetFramework>
                <RuntimeIdentifier>linux-x64</RuntimeIdentifier>
                <Nullable>enable</Nullable>
                <ImplicitUsings>enable</ImplicitUsings>
                <AllowUnsafeBlocks>true</AllowUnsafeBlocks>
                <InvariantGlobalization>true</InvariantGlobalization>
                <TreatWarningsAsErrors>true</TreatWarningsAsErrors>
                <TrimmerSingleWarn>false</TrimmerSingleWarn>
              </PropertyGroup>
              <ItemGroup>
                <PackageReference Include="Weir.AspNetCore" Version="{PackedApplication.Version}" />
                <PackageReference Include="Weir.Client" Version="{PackedApplication.Version}" />
                <PackageReference Include="Weir.Http" Version="{PackedApplication.Version}" />
              </ItemGroup>
              <!-- Without it no trimmed application of ASP.NET Core 10.0.12 starts, also without Weir: a method of an interface is trimmed away. -->
              <ItemGroup Condition="'$(PublishTrimmed)' == 'true' And '$(PublishAot)' != 'true'">
                <TrimmerRootAssembly Include="System.Security.Cryptography" />
              </ItemGroup>
            </Project>
            """,
            TestContext.Current.CancellationToken);
        File.Copy(packed.PackageSources, Path.Combine(project, "NuGet.config"), overwrite: true);
    }
}
