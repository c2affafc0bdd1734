using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Workers;
using Xunit;

namespace Weir.IntegrationTests.Watching;

/// <summary>A tracer of this very process that makes its system calls fail, until it is disposed. Processes that are started during that time are not traced.</summary>
internal sealed partial class Strace : IAsyncDisposable
{
    private const int SetTracer = 0x59616d61;
    private const double Soon = 30;

    private readonly Process _process;
    private readonly string _log;
    private readonly Task _said;

    private Strace(Process process, string log)
    {
        _process = process;
        _log = log;
        _said = process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
    }

    /// <summary>Begins to trace; a test that cannot is skipped.</summary>
    /// <param name="injection">
    /// Calls and what happens to them, as <c>strace -e inject</c> reads it: <c>sendto:error=EINTR:when=1..99+2</c>. Each thread counts for itself.
    /// A call that is being injected while strace detaches fails with ENOSYS, so calls that do not stop are injected in a bounded range,
    /// which is over before the test detaches.
    /// </param>
    /// <param name="thread">The beginning of a thread's name: only its calls. <c>null</c> for all.</param>
    public static async Task<Strace> AttachAsync(string injection, string? thread = null)
    {
        var program = Interpreters.Require("strace", "strace");
        _ = Control(SetTracer, ulong.MaxValue, 0, 0, 0);
        var log = Path.GetTempFileName();
        string[] whom = thread is null ? ["-f", "-b", "execve", "-p", $"{Environment.ProcessId}"] : ["-p", $"{ThreadOf(thread)}"];
        var process = Process.Start(new ProcessStartInfo(program, ["-o", log, "-e", $"trace={injection[..injection.IndexOf(':')]}", "-e", $"inject={injection}", .. whom])
        {
            RedirectStandardError = true,
        })!;
        var said = await process.StandardError.ReadLineAsync(TestContext.Current.CancellationToken).AsTask().WithinAsync(Soon);
        var strace = new Strace(process, log);
        if (said?.Contains(" attached", StringComparison.Ordinal) != true)
        {
            await strace.DisposeAsync();
            Assert.Skip($"strace cannot trace this process: {said}");
        }

        return strace;
    }

    /// <summary>Lets go of this process.</summary>
    /// <returns>How many calls were made to fail.</returns>
    public async Task<int> DetachAsync()
    {
        if (!_process.HasExited)
        {
            _ = Signals.Send(_process.Id, Signals.Int);
            await _process.WaitForExitAsync(TestContext.Current.CancellationToken).WithinAsync(Soon);
        }

        return File.ReadLines(_log).Count(static line => line.Contains("(INJECTED)", StringComparison.Ordinal));
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
        {
            // The traced process continues.
            _process.Kill();
        }

        await _said.WithinAsync(Soon);
        await _process.WaitForExitAsync(CancellationToken.None).WithinAsync(Soon);
        _process.Dispose();
        File.Delete(_log);
    }

    private static int ThreadOf(string name) => int.Parse(
        Path.GetFileName(Directory.GetDirectories("/proc/self/task").Single(task => File.ReadAllText(task + "/comm").StartsWith(name, StringComparison.Ordinal))),
        CultureInfo.InvariantCulture);

    [LibraryImport("libc", EntryPoint = "prctl")]
    private static partial int Control(int option, ulong first, ulong second, ulong third, ulong fourth);
}
