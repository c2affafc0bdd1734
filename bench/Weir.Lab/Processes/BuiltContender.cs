using System.Diagnostics;
using System.Globalization;
using System.Text;
using Weir.Lab.Engine;
using Weir.Lab.Measuring;

namespace Weir.Lab.Processes;

/// <summary>An application that is written into a folder of its own and built in every round: from nothing, and after an edit of a file without operations.</summary>
/// <param name="name">The contender's name.</param>
/// <param name="operations">How many public methods its classes have together.</param>
/// <param name="isServed">Whether the classes are services and Weir is referenced.</param>
internal sealed class BuiltContender(string name, int operations, bool isServed) : Contender(name)
{
    /// <summary>The time of a build from nothing.</summary>
    public const string CleanBuild = "clean build";

    /// <summary>The time of a build after an edit that concerns no operation.</summary>
    public const string UnrelatedEdit = "unrelated edit";

    private const int OperationsOfClass = 10;

    private static readonly string[] Libraries = ["Weir.Abstractions", "Weir.Protocol", "Weir.Execution", "Weir.Worker", "Weir.AspNetCore"];

    private DirectoryInfo? _folder;
    private int _edits;

    public override bool WarmsUp => false;

    public override async Task PrepareAsync(CancellationToken cancellation)
    {
        _folder = Directory.CreateTempSubdirectory("weir-lab-build-");
        await WriteAsync("App.csproj", Project(), cancellation);
        await WriteAsync("Program.cs", Program(), cancellation);
        for (var first = 0; first < operations; first += OperationsOfClass)
            await WriteAsync($"Orders{first / OperationsOfClass}.cs", Class(first / OperationsOfClass, Math.Min(OperationsOfClass, operations - first)), cancellation);

        await EditAsync(cancellation);
        await Task.Run(() => Dotnet("restore"), cancellation);

        // The first build starts the compiler's server, which is there for all rounds.
        await Task.Run(Build, cancellation);
    }

    public override async Task<Round> RunAsync(CancellationToken cancellation)
    {
        // 1. From nothing: what a restore left stays.
        Directory.Delete(Path.Combine(_folder!.FullName, "bin"), recursive: true);
        Directory.Delete(Path.Combine(_folder.FullName, "obj", "Release"), recursive: true);
        var round = new Round().Add(CleanBuild, await Task.Run(Build, cancellation), "ms");

        // 2. Again, after an edit.
        await EditAsync(cancellation);
        return round.Add(UnrelatedEdit, await Task.Run(Build, cancellation), "ms");
    }

    public override ValueTask DisposeAsync()
    {
        _folder?.Delete(recursive: true);
        return base.DisposeAsync();
    }

    private double Build()
    {
        var began = Clock.Now;
        Dotnet("build", "--no-restore", "-c", "Release");
        return Clock.MillisecondsBetween(began, Clock.Now);
    }

    private void Dotnet(string command, params string[] options)
    {
        // The compiler's server, as on a developer's machine, also where the environment switches it off.
        string[] arguments = [command, .. options, "-v", "quiet", "-nologo", "-nodeReuse:false", "-p:UseSharedCompilation=true"];
        using var process = Process.Start(new ProcessStartInfo("dotnet", arguments) { WorkingDirectory = _folder!.FullName, RedirectStandardOutput = true, RedirectStandardError = true })!;

        // Both at the same time: a full pipe would stop it.
        var errors = process.StandardError.ReadToEndAsync();
        var output = (process.StandardOutput.ReadToEnd() + errors.GetAwaiter().GetResult()).Trim();
        process.WaitForExit();
        if (process.ExitCode != 0)
            throw new InvalidDataException($"dotnet {string.Join(' ', arguments)} ended with code {process.ExitCode}: {output[..Math.Min(500, output.Length)]}");
    }

    private Task WriteAsync(string file, string text, CancellationToken cancellation) => File.WriteAllTextAsync(Path.Combine(_folder!.FullName, file), text, cancellation);

    private Task EditAsync(CancellationToken cancellation) =>
        WriteAsync("Unrelated.cs", string.Create(CultureInfo.InvariantCulture, $"internal static class Unrelated {{ public const int Edits = {++_edits}; }}\n"), cancellation);

    private string Program() => isServed
        ? "var builder = WebApplication.CreateBuilder(args); builder.Services.AddWeir(); var app = builder.Build(); app.MapWeir(); app.Run();\n"
        : "var builder = WebApplication.CreateBuilder(args); var app = builder.Build(); app.Run();\n";

    private string Project()
    {
        var project = new StringBuilder("""
            <Project Sdk="Microsoft.NET.Sdk.Web">
              <PropertyGroup><TargetFramework>net10.0</TargetFramework><Nullable>enable</Nullable><ImplicitUsings>enable</ImplicitUsings></PropertyGroup>

            """);
        if (isServed)
        {
            project.Append("  <ItemGroup>\n");
            foreach (var library in Libraries)
                project.Append(CultureInfo.InvariantCulture, $"    <Reference Include=\"{Path.Combine(AppContext.BaseDirectory, library)}.dll\" />\n");

            var generator = Path.Combine(BuiltPrograms.Repository, "src", "Weir.Generator", "bin", BuiltPrograms.Configuration, "netstandard2.0", "Weir.Generator.dll");
            project.Append(CultureInfo.InvariantCulture, $"    <Analyzer Include=\"{generator}\" />\n  </ItemGroup>\n");
            project.Append(CultureInfo.InvariantCulture, $"  <Import Project=\"{Path.Combine(BuiltPrograms.Repository, "src", "Weir.Abstractions", "buildTransitive", "Weir.Abstractions.props")}\" />\n");
        }

        return project.Append("</Project>\n").ToString();
    }

    private string Class(int number, int methods)
    {
        var code = new StringBuilder();
        code.Append(CultureInfo.InvariantCulture, $"namespace App;\n\npublic sealed record Order{number}(string Customer, int Count, decimal Price, DateTime? Due = null, string[]? Tags = null);\n\n");
        code.Append(CultureInfo.InvariantCulture, $"{(isServed ? "[Weir.Service]\n" : "")}public sealed class Orders{number}\n{{\n    private static readonly List<Order{number}> Stored = [];\n\n");
        for (var method = 0; method < methods; method++)
        {
            code.Append((method % 3) switch
            {
                0 => string.Create(CultureInfo.InvariantCulture, $"    public Order{number}? Find{method}(int index) => index < Stored.Count ? Stored[index] : null;\n\n"),
                1 => string.Create(CultureInfo.InvariantCulture, $"    public int Place{method}(Order{number} order)\n    {{\n        Stored.Add(order);\n        return Stored.Count;\n    }}\n\n"),
                _ => string.Create(CultureInfo.InvariantCulture, $"    public async Task<string> Describe{method}(string customer, int top = 10, CancellationToken ct = default)\n    {{\n        await Task.Delay(1, ct);\n        return string.Join(',', Stored.Where(one => one.Customer == customer).Take(top).Select(one => $\"{{one.Count}} for {{one.Price}}\"));\n    }}\n\n"),
            });
        }

        return code.Append("}\n").ToString();
    }
}
