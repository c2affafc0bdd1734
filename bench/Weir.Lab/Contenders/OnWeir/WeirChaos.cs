using System.Threading.Channels;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Calls while workers are killed: the calls and their outcomes, as the caller sees them, are written to a file.</summary>
internal static class WeirChaos
{
    // A call that was only sent fails with the same type and the same code; the message says that it did not run.
    private const string WhileItRan = "ended while it ran";

    /// <summary>Calls as <see cref="ChaosLimit"/> says, a <c>window</c> of them in flight; a call without an outcome after <c>patience</c> seconds hangs.</summary>
    public static async Task<IEnumerable<ControlLine>> RunAsync(IHelloTasksClient client, ControlLine request)
    {
        var folder = request["folder"];
        var data = new byte[request.Int("bytes")];
        var limit = ChaosLimit.Of(request);
        var patience = TimeSpan.FromSeconds(request.Number("patience"));
        long next = -1;
        var lines = Channel.CreateBounded<string>(1024);
        var writing = WriteAsync(Path.Combine(folder, "host"), lines.Reader);
        await Task.WhenAll(Enumerable.Range(0, request.Int("window")).Select(_ => Task.Run(async () =>
        {
            long number;
            while (limit.GoesOn(number = Interlocked.Increment(ref next)))
            {
                await lines.Writer.WriteAsync($"made {number}");
                await lines.Writer.WriteAsync(await EndingOfAsync(number, client.Witnessed(folder, number, data).AsTask(), patience));
            }
        })));
        lines.Writer.Complete();
        await writing;
        return [Readings.Done()];
    }

    /// <summary>
    /// How a call ended, as a line for the lab. A failure names the worker's process only where the exception says that it ended while
    /// it ran this call: that is the one way of failing that a kill explains.
    /// </summary>
    internal static async Task<string> EndingOfAsync(long number, Task call, TimeSpan patience)
    {
        try
        {
            await call.WaitAsync(patience);
            return $"ok {number}";
        }
        catch (WorkerLostException lost) when (lost.Message.Contains(WhileItRan, StringComparison.Ordinal))
        {
            return $"failed {number} {lost.ProcessId}";
        }
        catch (WeirException)
        {
            return $"failed {number}";
        }
        catch (TimeoutException)
        {
            return $"hung {number}";
        }
    }

    private static async Task WriteAsync(string path, ChannelReader<string> lines)
    {
        await using var file = new StreamWriter(path);
        file.AutoFlush = true;
        await foreach (var line in lines.ReadAllAsync())
            await file.WriteLineAsync(line);
    }
}
