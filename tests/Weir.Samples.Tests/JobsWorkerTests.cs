using System.Diagnostics;
using System.Reflection;

namespace Weir.Samples.Tests;

/// <summary>The first page of the guide says that its job survives <c>kill -9</c>.</summary>
public sealed class JobsWorkerTests : IDisposable
{
    private const int Pages = 40;

    private static readonly string Program = typeof(JobsWorkerTests).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>().Single(static one => one.Key == "JobsWorker").Value!;

    private readonly string _folder = Directory.CreateTempSubdirectory("weir-jobs-worker-").FullName;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task A_job_whose_process_is_killed_continues_in_the_next_one_and_loses_and_repeats_nothing()
    {
        string[] before;
        using (var first = Start())
        {
            before = await ReadAsync(first, 5);
            Assert.Equal(5, before.Length);
            first.Kill();
            await first.WaitForExitAsync(Cancel);
        }

        // Each page once, those that were read before as they were, and the others by the second attempt.
        var all = await RunAsync();
        Assert.Equal(Enumerable.Range(1, Pages).Select(static page => $"acme: page {page} of {Pages}"), all.Select(static line => line[..line.IndexOf(',', StringComparison.Ordinal)]));
        Assert.Equal(before, all.Take(before.Length));
        Assert.EndsWith("attempt 1", all[0], StringComparison.Ordinal);
        Assert.EndsWith("attempt 2", all[^1], StringComparison.Ordinal);

        // The job has ended: the third process finds it, and runs nothing.
        Assert.Equal(all, await RunAsync());
    }

    private async Task<string[]> RunAsync()
    {
        using var process = Start();
        var all = await ReadAsync(process, int.MaxValue);
        await process.WaitForExitAsync(Cancel);
        Assert.Equal(0, process.ExitCode);
        return all;
    }

    // The content root is the working directory: the store lies there, and the settings of other samples beside this assembly are not read.
    private Process Start() =>
        Process.Start(new ProcessStartInfo("dotnet", [Program, "--Logging:LogLevel:Default=None"]) { RedirectStandardOutput = true, WorkingDirectory = _folder })!;

    private static async Task<string[]> ReadAsync(Process process, int most)
    {
        var lines = new List<string>();
        while (lines.Count < most && await process.StandardOutput.ReadLineAsync(Cancel) is { } line)
        {
            lines.Add(line);
        }

        return [.. lines];
    }
}
