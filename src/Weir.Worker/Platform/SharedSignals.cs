using System.Runtime.InteropServices;

namespace Weir.Worker.Platform;

/// <summary>
/// Signals that reach the host and its workers alike: Ctrl+C of a terminal, a service manager that stops the whole
/// control group. .NET's hosts drain at any of these three; a worker that ended by one would take its call along.
/// Programs the user's code starts are not affected.
/// </summary>
internal static class SharedSignals
{
    // Held until the process ends: a registration that is collected is undone.
    private static PosixSignalRegistration[]? _registrations;

    /// <summary>From now on they do nothing here.</summary>
    public static void Ignore() => _registrations =
    [
        PosixSignalRegistration.Create(PosixSignal.SIGINT, LeaveToTheHost),
        PosixSignalRegistration.Create(PosixSignal.SIGQUIT, LeaveToTheHost),
        PosixSignalRegistration.Create(PosixSignal.SIGTERM, LeaveToTheHost),
    ];

    private static void LeaveToTheHost(PosixSignalContext context) => context.Cancel = true;
}
