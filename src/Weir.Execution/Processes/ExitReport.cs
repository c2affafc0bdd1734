namespace Weir.Execution.Processes;

/// <summary>How a worker process ended: by an exit code or by a signal, never both.</summary>
/// <param name="ExitCode">What it passed to exit; <c>null</c> when a signal ended it.</param>
/// <param name="Signal">The signal that ended it; <c>null</c> when it exited.</param>
internal readonly record struct ExitReport(int? ExitCode, int? Signal)
{
    /// <summary>The kernel ended it because memory was short, in its control group or on the machine.</summary>
    public bool IsOutOfMemory { get; init; }

    /// <summary>Other code reaped the process, so the status is lost. This happens where SIGCHLD is ignored, or to a host that is PID 1 and uses Process.Start.</summary>
    public static ExitReport Unknown { get; }

    /// <summary><c>exit code 3</c>, <c>signal 9 (SIGKILL)</c>.</summary>
    public override string ToString() => this switch
    {
        { IsOutOfMemory: true, Signal: { } signal } => $"signal {signal} ({SignalNames.Of(signal)}) of the kernel's out-of-memory killer",
        { ExitCode: { } code } => $"exit code {code}",
        { Signal: { } signal } => $"signal {signal} ({SignalNames.Of(signal)})",
        _ => "unknown exit status",
    };
}
