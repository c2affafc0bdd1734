using System.Diagnostics;
using System.Reflection;

namespace Weir.Samples.Tests;

/// <summary>Jobs on SQLite in a program without the runtime.</summary>
public sealed class NativeJobsWorkerTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("weir-native-jobs-").FullName;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    // In a copy of the sources: a publish for one platform restores their projects in another way. About two minutes.
    [Fact]
    [Trait("Kind", "Long")]
    public async Task A_job_runs_in_a_program_that_was_compiled_ahead_of_time()
    {
        var program = typeof(NativeJobsWorkerTests).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>().Single(static one => one.Key == "JobsWorker").Value!;
        var root = program[..program.IndexOf("/samples/", StringComparison.Ordinal)];
        await RunAsync(root, "bash", "-c", $"git ls-files -z --cached --others --exclude-standard | tar --null --ignore-failed-read -T - -cf - | tar -xf - -C '{_folder}'");
        await RunAsync(_folder, "dotnet", "publish", "samples/JobsWorker", "-c", "Release", "-r", "linux-x64", "-p:WeirNative=true", "-o", "native");
        var lines = await RunAsync(_folder, Path.Combine(_folder, "native", "JobsWorker"), "--Logging:LogLevel:Default=None");
        Assert.Equal("acme: page 40 of 40, attempt 1", lines.TrimEnd().Split('\n')[^1]);
    }

    private static async Task<string> RunAsync(string folder, string program, params string[] arguments)
    {
        using var process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true, WorkingDirectory = folder })!;
        var output = await process.StandardOutput.ReadToEndAsync(Cancel);
        await process.WaitForExitAsync(Cancel);
        Assert.True(process.ExitCode == 0, output);
        return output;
    }
}
