using System.Diagnostics;

namespace Weir.Execution.Processes.Portable;

/// <summary>Drains one of a worker's output pipes, always, at a bounded rate: a flooder waits, not the host.</summary>
internal sealed class OutputDrain(Stream pipe, OutputStream stream, IOutputSink sink, OutputTail tail)
{
    private const int ReadSize = 16 * 1024;

    private readonly LineSplitter _lines = new(stream, sink);
    private readonly OutputRate _rate = new(OutputRate.DefaultBytesPerSecond, OutputRate.DefaultBurstBytes, Stopwatch.Frequency);

    /// <summary>Ends at the end of the pipe. Never fails.</summary>
    public async Task RunAsync()
    {
        try
        {
            var buffer = new byte[ReadSize];
            int read;
            while ((read = await pipe.ReadAsync(buffer)) > 0)
            {
                tail.Append(buffer.AsSpan(0, read));
                _lines.Feed(buffer.AsSpan(0, read));
                if (_rate.Take(read, Stopwatch.GetTimestamp()) is > 0 and var ticks)
                {
                    await Task.Delay(Stopwatch.GetElapsedTime(0, ticks), TimeProvider.System);
                }
            }
        }
        catch (Exception ended) when (ended is IOException or ObjectDisposedException or OperationCanceledException)
        {
            // Nobody prints any more.
        }

        _lines.Finish();
    }
}
