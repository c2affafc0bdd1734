using System.ComponentModel;
using System.Diagnostics;

namespace Weir.Execution.Processes.Portable;

/// <summary>A worker identified by its <see cref="Process"/>: watched, killed with all it started, its output drained.</summary>
internal sealed class PortableWorkerHandle : WorkerHandle
{
    // What a worker printed last is already in its pipes when it has ended; a descendant may hold them open without a limit.
    private static readonly TimeSpan OutputPatience = TimeSpan.FromMilliseconds(500);

    private readonly Process _process;
    private readonly PipeChannel _data;
    private readonly PipeChannel _control;
    private readonly OutputTail _tail = new();
    private readonly FatalErrorLine _lastWords;
    private readonly Task<ExitReport> _exited;

    public PortableWorkerHandle(Process process, PipeChannel data, PipeChannel control, IOutputSink sink, AppliedLimits limits)
    {
        _process = process;
        _data = data;
        _control = control;
        _lastWords = new FatalErrorLine(sink);
        Limits = limits;
        ProcessId = process.Id;
        var output = new OutputDrain(process.StandardOutput.BaseStream, OutputStream.Standard, sink, _tail);
        var error = new OutputDrain(process.StandardError.BaseStream, OutputStream.Error, _lastWords, _tail);
        _exited = WatchAsync(output.RunAsync(), error.RunAsync());
    }

    public override int ProcessId { get; }

    public override AppliedLimits Limits { get; }

    public override WorkerChannel Data => _data;

    public override WorkerChannel Control => _control;

    public override Task<ExitReport> Exited => _exited;

    public override string? FatalErrorLine => _lastWords.Line;

    // On other operating systems the figure means something else.
    public override long? ReadPrivateMemory()
    {
        try
        {
            using var process = OperatingSystem.IsWindows() ? Process.GetProcessById(ProcessId) : null;
            return process?.PrivateMemorySize64;
        }
        catch (Exception gone) when (gone is InvalidOperationException or ArgumentException)
        {
            return null;
        }
    }

    public override string ReadOutputTail() => _tail.ToString();

    public override void Kill()
    {
        try
        {
            _process.Kill(entireProcessTree: true);
        }
        catch (Exception gone) when (gone is InvalidOperationException or Win32Exception or AggregateException)
        {
            // It has ended, or one of its descendants has and could not be found any more.
        }
    }

    public override async ValueTask DisposeAsync()
    {
        Kill();
        await _exited;
        _data.Dispose();
        _control.Dispose();
        _process.Dispose();
    }

    // On Unix the runtime reports a signal as exit code 128 + its number: the two cannot be distinguished here.
    private async Task<ExitReport> WatchAsync(Task output, Task error)
    {
        await _process.WaitForExitAsync();
        try
        {
            await Task.WhenAll(output, error).WaitAsync(OutputPatience, TimeProvider.System);
        }
        catch (TimeoutException)
        {
            // The drains complete when the process object is disposed.
        }

        return new ExitReport(_process.ExitCode, null);
    }
}
