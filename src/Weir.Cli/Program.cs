using System.Runtime.InteropServices;
using Weir.Cli;
using Weir.Cli.Terminal;

// The first Ctrl-C ends the command in order; the second one ends the process.
using var stopping = new CancellationTokenSource();
using var interrupted = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
using var terminated = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);
return await WeirCommandLine.RunAsync(args, CommandConsole.OfThisProcess(), stopping.Token);

void Stop(PosixSignalContext context)
{
    context.Cancel = !stopping.IsCancellationRequested;
    stopping.Cancel();
}
