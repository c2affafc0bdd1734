using System.Diagnostics;

namespace Weir.Execution.Processes.Portable;

/// <summary>Always drains one of a worker's output pipes, at a bounded rate: a worker that prints too much waits, not the host.</summary>
internal sealed class OutputDrain(Stream pipe, OutputStream stream, IOutputSink sink, OutputTail tail)
{
    private const int ReadSize = 16 * 1024;

    private readonly LineSplitter _lines = new(stream, sink);
    private readonly OutputRate _rate = new(OutputRate.DefaultBytesPerSecond, OutputRate.DefaultBurstBytes, Stopwatch.Frequency);

    /// <summary>Completes at the end of the pipe. Never fails.</summary>
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
            // The pipe is closed: no more output can arrive.
        }

        _lines.Finish();
    }
}
