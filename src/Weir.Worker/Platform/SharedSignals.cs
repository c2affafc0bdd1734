using System.Runtime.InteropServices;

namespace Weir.Worker.Platform;

/// <summary>
/// Signals that reach the host and its workers alike: Ctrl+C of a terminal, a service manager that stops the whole
/// control group. .NET's hosts drain at any of these three; a worker that ended by one would take its call along.
/// Programs the user's code starts are not affected.
/// </summary>
internal sealed class SharedSignals : IDisposable
{
    private readonly PosixSignalRegistration _interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, LeaveToTheHost);
    private readonly PosixSignalRegistration _quit = PosixSignalRegistration.Create(PosixSignal.SIGQUIT, LeaveToTheHost);
    private readonly PosixSignalRegistration _terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, LeaveToTheHost);

    public void Dispose()
    {
        _interrupt.Dispose();
        _quit.Dispose();
        _terminate.Dispose();
    }

    private static void LeaveToTheHost(PosixSignalContext context) => context.Cancel = true;
}
