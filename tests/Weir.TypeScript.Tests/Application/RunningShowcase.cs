using System.Diagnostics;
using System.Reflection;
using System.Text.RegularExpressions;
using Xunit;

namespace Weir.TypeScript.Tests.Application;

/// <summary>The real showcase in a process of its own, on a free port.</summary>
internal sealed partial class RunningShowcase : IAsyncDisposable
{
    private readonly Process _process;

    private RunningShowcase(Process process) => _process = process;

    /// <summary>Its assembly.</summary>
    internal static string Assembly { get; } =
        typeof(RunningShowcase).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>().Single(static one => one.Key == "Showcase").Value!;

    /// <summary>Where it listens.</summary>
    internal string Address { get; private set; } = "";

    internal static async Task<RunningShowcase> StartAsync()
    {
        var start = new ProcessStartInfo("dotnet", [Assembly, "--urls", "http://127.0.0.1:0"]) { WorkingDirectory = Path.GetTempPath(), RedirectStandardOutput = true };
        var showcase = new RunningShowcase(Process.Start(start)!);
        while (showcase.Address.Length == 0)
        {
            var line = await showcase._process.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken)
                ?? throw new InvalidOperationException("The showcase ended before it listened.");
            showcase.Address = Listening().Match(line).Value;
        }

        // What it prints later must not fill the pipe.
        _ = showcase._process.StandardOutput.ReadToEndAsync(CancellationToken.None);
        return showcase;
    }

    public async ValueTask DisposeAsync()
    {
        _process.Kill(entireProcessTree: true);
        await _process.WaitForExitAsync(CancellationToken.None);
        _process.Dispose();
    }

    [GeneratedRegex(@"http://127\.0\.0\.1:[1-9]\d*")]
    private static partial Regex Listening();
}
