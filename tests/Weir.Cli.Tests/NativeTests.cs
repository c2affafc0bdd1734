using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text.Json;

namespace Weir.Cli.Tests;

/// <summary>The tool as a native program: compiled without a warning, it does what the other one does.</summary>
public sealed class NativeTests(CountingServer server) : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _folder.Dispose();

    [Fact, Trait("Kind", "Long")]
    public async Task A_native_tool_measures_fetches_and_examines_the_machine()
    {
        var weir = await PublishAsync();
        var (output, error, exitCode) = await RunAsync("load", $"{server.Address}/native/load", "-n", "100", "-c", "4", "--json", "--assert", "errors=0");
        Assert.Equal(("", 0), (error, exitCode));
        Assert.Equal(100, JsonDocument.Parse(output).RootElement.GetProperty("responseTime").GetProperty("count").GetInt64());

        (output, error, exitCode) = await RunAsync("load", $"{server.Address}/native/items.ndjson", "--rate", "100", "-n", "20", "--stream");
        Assert.Equal(("", 0), (error, exitCode));
        Assert.Contains("response time, from the intended start", output, StringComparison.Ordinal);
        Assert.Contains("100 items, ", output, StringComparison.Ordinal);

        (output, error, exitCode) = await RunAsync("fetch", $"{server.Address}/native/a", $"{server.Address}/native/missing", "--output", _folder.Of("bodies"));
        Assert.Equal(1, exitCode);
        Assert.Equal(2, output.Split('\n', StringSplitOptions.RemoveEmptyEntries).Length);
        Assert.Equal("body of /native/a", await File.ReadAllTextAsync(Assert.Single(Directory.GetFiles(_folder.Of("bodies"))), Cancel));
        Assert.StartsWith("weir: 1 of 2 failed, the first: ", error, StringComparison.Ordinal);

        (output, error, _) = await RunAsync("doctor", "--json");
        Assert.Equal("", error);
        Assert.NotEmpty(JsonDocument.Parse(output).RootElement.GetProperty("isolation").EnumerateArray());

        (output, error, exitCode) = await RunAsync("load", "nowhere", "-c", "0");
        Assert.Equal(("", 2), (output, exitCode));
        Assert.StartsWith("weir: -c is '0'; choose ", error, StringComparison.Ordinal);

        async Task<(string Output, string Error, int ExitCode)> RunAsync(params string[] arguments)
        {
            await using var process = WeirProcess.StartFile(weir, isOutputStuck: false, arguments);
            return await process.EndWithOutputAsync();
        }
    }

    private async Task<string> PublishAsync([CallerFilePath] string source = "")
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && RuntimeInformation.OSArchitecture == Architecture.X64, "The runtime to publish with is restored for linux-x64 only.");
        Assert.SkipUnless(File.Exists("/usr/bin/clang") || File.Exists("/usr/bin/gcc"), "Neither clang nor gcc is there to link with; apt-get install clang.");
        Assert.SkipUnless(File.Exists("/usr/include/zlib.h"), "zlib.h is missing; apt-get install zlib1g-dev.");
        string[] arguments =
        [
            "publish", Path.GetFullPath("../../src/Weir.Cli", Path.GetDirectoryName(source)!), "--configuration", "Release", "--runtime", "linux-x64", "-p:WeirNative=true", "-p:TrimmerSingleWarn=false",
            "--artifacts-path", _folder.Of("artifacts"), "--output", _folder.Of("out"), "-p:UseSharedCompilation=false", "-maxCpuCount:1", "-verbosity:quiet", "-nologo",
        ];
        var start = new ProcessStartInfo("dotnet", arguments) { RedirectStandardOutput = true };
        start.Environment["MSBUILDDISABLENODEREUSE"] = "1";
        start.Environment["DOTNET_CLI_UI_LANGUAGE"] = "en";
        using var process = Process.Start(start)!;
        var output = await process.StandardOutput.ReadToEndAsync(Cancel);
        await process.WaitForExitAsync(Cancel);
        Assert.True(process.ExitCode == 0, output);
        Assert.DoesNotContain("warning", output, StringComparison.Ordinal);
        return Path.Combine(_folder.Of("out"), "Weir.Cli");
    }
}
