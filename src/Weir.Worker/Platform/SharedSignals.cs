using System.Runtime.InteropServices;

namespace Weir.Worker.Platform;

/// <summary>
/// Signals that reach the host and its workers alike: Ctrl+C of a terminal, a service manager that stops the whole
/// control group. Hosts of .NET drain at any of these three; a worker that exited at one would make its call fail.
/// Programs that user code starts are not affected.
/// </summary>
internal static class SharedSignals
{
    // Held until the process ends: a registration that is collected is undone.
    private static PosixSignalRegistration[]? _registrations;

    /// <summary>From now on this process ignores them.</summary>
    public static void Ignore() => _registrations =
    [
        PosixSignalRegistration.Create(PosixSignal.SIGINT, LeaveToTheHost),
        PosixSignalRegistration.Create(PosixSignal.SIGQUIT, LeaveToTheHost),
        PosixSignalRegistration.Create(PosixSignal.SIGTERM, LeaveToTheHost),
    ];

    private static void LeaveToTheHost(PosixSignalContext context) => context.Cancel = true;
}
