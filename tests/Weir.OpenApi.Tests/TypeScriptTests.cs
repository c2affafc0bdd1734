using System.Diagnostics;
using System.Text.Json;
using Weir.OpenApi.Tests.Application;
using Xunit;

namespace Weir.OpenApi.Tests;

/// <summary>The types that openapi-typescript makes of the document compile strictly, with code that uses them.</summary>
public sealed class TypeScriptTests
{
    private static readonly string Folder = Path.Combine(AppContext.BaseDirectory, "TypeScript");

    [Fact]
    public async Task Types_of_openapi_typescript_compile_strictly()
    {
        Assert.SkipUnless(Exists("npm"), "npm is not installed");
        await using var kitchen = await RunningKitchen.StartAsync();
        var document = await kitchen.DocumentAsync();
        await File.WriteAllTextAsync(Path.Combine(Folder, "document.json"), document.ToJsonString(new JsonSerializerOptions { WriteIndented = true }), TestContext.Current.CancellationToken);
        await RunAsync("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline");
        await RunAsync("node", "node_modules/openapi-typescript/bin/cli.js", "document.json", "-o", "schema.ts", "--default-non-nullable=false");
        await RunAsync("node", "node_modules/typescript/bin/tsc", "--strict", "--noEmit", "--target", "es2022", "--module", "nodenext", "--skipLibCheck", "false", "schema.ts", "use.ts");
    }

    private static bool Exists(string program) => (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator).Any(folder => File.Exists(Path.Combine(folder, program)));

    private static async Task RunAsync(string program, params string[] arguments)
    {
        var start = new ProcessStartInfo(program, arguments) { WorkingDirectory = Folder, RedirectStandardOutput = true, RedirectStandardError = true };
        using var process = Process.Start(start)!;
        var output = process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        var errors = process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.True(process.ExitCode == 0, $"{program} {string.Join(' ', arguments)} ended with {process.ExitCode}: {await output} {await errors}");
    }
}
