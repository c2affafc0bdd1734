using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Weir.Cli.Tests;

/// <summary>The tool as a process of its own, as it was built; its standard output is a pipe.</summary>
internal sealed partial class WeirProcess : IAsyncDisposable
{
    private const int SignalInterrupt = 2;
    private const int SignalTerminate = 15;

    // Fills a pipe of Linux, so that the next write waits for a reader.
    private const string FillPipe = "head -c 65536 /dev/zero; ";

    private readonly Process _process;

    private WeirProcess(Process process) => _process = process;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    /// <summary>Starts it.</summary>
    /// <param name="isOutputStuck">Whether what it prints is not taken: it waits at its first line.</param>
    /// <param name="arguments">The command.</param>
    public static WeirProcess Start(bool isOutputStuck, params string[] arguments) => StartFile(Path.Combine(AppContext.BaseDirectory, "Weir.Cli"), isOutputStuck, arguments);

    /// <summary>Starts one that was published.</summary>
    /// <param name="executable">Its file.</param>
    /// <param name="isOutputStuck">Whether what it prints is not taken.</param>
    /// <param name="arguments">The command.</param>
    public static WeirProcess StartFile(string executable, bool isOutputStuck, params string[] arguments) => StartScript($"{(isOutputStuck ? FillPipe : "")}exec \"$@\"", executable, arguments);

    private static WeirProcess StartScript(string script, string executable, string[] arguments)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Signals and pipes are those of Linux.");
        var start = new ProcessStartInfo("/bin/sh") { RedirectStandardOutput = true, RedirectStandardError = true };
        foreach (var argument in (string[])["-c", script, "sh", executable, .. arguments])
        {
            start.ArgumentList.Add(argument);
        }

        start.Environment["DOTNET_ROOT"] = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "../../.."));
        return new WeirProcess(Process.Start(start)!);
    }

    /// <summary>Starts it with standard streams as a shell redirects them, such as <c>&lt;&amp;-</c>.</summary>
    public static WeirProcess StartRedirected(string redirection, params string[] arguments) => StartScript($"exec \"$@\" {redirection}", Path.Combine(AppContext.BaseDirectory, "Weir.Cli"), arguments);

    /// <summary>Ctrl-C.</summary>
    public void Interrupt() => Assert.Equal(0, Send(_process.Id, SignalInterrupt));

    /// <summary>SIGTERM.</summary>
    public void Terminate() => Assert.Equal(0, Send(_process.Id, SignalTerminate));

    /// <summary>Waits until it handles SIGTERM: the shell has become the tool, and the tool its main method.</summary>
    public async Task UntilRunningAsync()
    {
        while (!Handles(SignalTerminate))
        {
            await Task.Delay(20, Cancel);
        }

        bool Handles(int signal) => File.ReadLines($"/proc/{_process.Id}/status").FirstOrDefault(static line => line.StartsWith("SigCgt:", StringComparison.Ordinal)) is { } line
            && (Convert.ToUInt64(line["SigCgt:".Length..].Trim(), 16) & (1UL << (signal - 1))) != 0;
    }

    /// <summary>The next line of standard error.</summary>
    public async Task<string?> ReadErrorAsync() => await _process.StandardError.ReadLineAsync(Cancel);

    /// <summary>Waits for its end, within half a minute.</summary>
    /// <returns>The exit code.</returns>
    public async Task<int> EndAsync()
    {
        await _process.WaitForExitAsync(Cancel).WaitAsync(TimeSpan.FromSeconds(30), Cancel);
        return _process.ExitCode;
    }

    /// <summary>All that it printed, and its exit code.</summary>
    public async Task<(string Output, string Error, int ExitCode)> EndWithOutputAsync()
    {
        var output = _process.StandardOutput.ReadToEndAsync(Cancel);
        var error = _process.StandardError.ReadToEndAsync(Cancel);
        var exitCode = await EndAsync();
        return (await output, await error, exitCode);
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
            await _process.WaitForExitAsync(CancellationToken.None);
        }

        _process.Dispose();
    }

    [LibraryImport("libc", EntryPoint = "kill")]
    private static partial int Send(int process, int signal);
}
