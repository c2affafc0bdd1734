using System.Runtime.InteropServices;
using Weir.Cli;
using Weir.Cli.Terminal;

// The first Ctrl-C ends the command in order; the second one ends the process.
using var stopping = new CancellationTokenSource();
using var interrupted = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
using var terminated = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Terminate);
return await WeirCommandLine.RunAsync(args, CommandConsole.OfThisProcess(), stopping.Token);

void Stop(PosixSignalContext context)
{
    context.Cancel = !stopping.IsCancellationRequested;
    stopping.Cancel();
}

// A supervisor sends it once. What waits for a file or a terminal observes no token.
void Terminate(PosixSignalContext context)
{
    Stop(context);
    _ = ExitAsync();
}

static async Task ExitAsync()
{
    await Task.Delay(TimeSpan.FromSeconds(5), TimeProvider.System);
    Environment.Exit(ExitCodes.Terminated);
}
