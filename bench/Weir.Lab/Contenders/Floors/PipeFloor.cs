using System.Diagnostics;
using Weir.Lab.Engine;

namespace Weir.Lab.Contenders.Floors;

/// <summary>What a call to another process costs over blocking pipes when there is nothing but the pipes.</summary>
internal sealed class PipeFloor(RoundTrips trips) : Contender("floor pipe")
{
    private Process? _process;

    public override Task PrepareAsync(CancellationToken cancellation)
    {
        var launch = trips.Launch();
        _process = Process.Start(new ProcessStartInfo(launch.File, launch.Arguments) { RedirectStandardInput = true, RedirectStandardOutput = true });
        return Task.CompletedTask;
    }

    public override Task<Round> RunAsync(CancellationToken cancellation) =>
        Task.Factory.StartNew(() => trips.Measure(Send, Receive), cancellation, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    public override Task WarmUpAsync(CancellationToken cancellation) =>
        Task.Factory.StartNew(() => trips.WarmUp(Send, Receive), cancellation, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    public override async ValueTask DisposeAsync()
    {
        if (_process is not null)
        {
            _process.StandardInput.Close();
            await _process.WaitForExitAsync(CancellationToken.None);
            _process.Dispose();
        }

        await base.DisposeAsync();
    }

    private void Send(byte[] question)
    {
        var input = _process!.StandardInput.BaseStream;
        input.Write(question);
        input.Flush();
    }

    private void Receive(byte[] answer) => _process!.StandardOutput.BaseStream.ReadExactly(answer);
}
