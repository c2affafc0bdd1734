using System.Diagnostics;
using Weir.IntegrationTests.Processes;
using Xunit;

namespace Weir.IntegrationTests.Packaging;

/// <summary>The SDK's command line, as a user types it.</summary>
internal static class DotnetCommand
{
    // A native compilation takes four minutes where two slow processors have other work.
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(15);
    private static readonly string Compiler = $"weir-tests-{Environment.ProcessId}";

    /// <summary>For commands that compile, one after the other: one compiler for all of them, which starts and warms up once. It is this process's own.</summary>
    public static string[] CompilerArguments { get; } = ["-p:UseSharedCompilation=true", $"-p:SharedCompilationId={Compiler}", "-maxCpuCount:1", "-verbosity:quiet"];

    /// <summary>Ends the compiler, which would wait ten minutes for more work.</summary>
    public static void EndCompiler()
    {
        foreach (var pid in ProcFiles.AllPids().Where(static pid => ProcFiles.Arguments(pid).Split('\0').Contains($"-pipename:{Compiler}")))
        {
            _ = Signals.Send(pid, Signals.Kill);
        }
    }

    /// <summary>Runs a command to its end; one that fails fails the test with what it printed.</summary>
    public static Task<string> RunAsync(string folder, params string[] arguments) => RunAsync(StartInfo(folder, arguments));

    /// <summary>Runs a program to its end; one that fails fails the test with what it printed.</summary>
    public static async Task<string> RunAsync(ProcessStartInfo start)
    {
        using var process = Process.Start(start)!;
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        limit.CancelAfter(Limit);
        try
        {
            var error = process.StandardError.ReadToEndAsync(limit.Token);
            var output = await process.StandardOutput.ReadToEndAsync(limit.Token) + await error;
            await process.WaitForExitAsync(limit.Token);
            Assert.True(process.ExitCode == 0, $"{start.FileName} {string.Join(' ', start.ArgumentList)} ended with {process.ExitCode}:\n{output}");
            return output;
        }
        finally
        {
            if (!process.HasExited)
            {
                process.Kill(entireProcessTree: true);
            }
        }
    }

    /// <summary>How a command is started: alone, in English, leaving no build server behind.</summary>
    public static ProcessStartInfo StartInfo(string folder, params string[] arguments)
    {
        var start = new ProcessStartInfo("dotnet", arguments)
        {
            WorkingDirectory = folder,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment["MSBUILDDISABLENODEREUSE"] = "1";
        start.Environment["DOTNET_CLI_USE_MSBUILD_SERVER"] = "0";
        start.Environment["DOTNET_CLI_UI_LANGUAGE"] = "en";
        start.Environment["DOTNET_NOLOGO"] = "1";
        return start;
    }
}
