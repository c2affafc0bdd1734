using System.Threading.Channels;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Calls while workers are killed: what was called and every ending, as the caller sees them, go into a file.</summary>
internal static class WeirChaos
{
    public static async Task<IEnumerable<ControlLine>> RunAsync(IHelloTasksClient client, ControlLine request)
    {
        var folder = request["folder"];
        var data = new byte[request.Int("bytes")];
        var limit = ChaosLimit.Of(request);
        long next = -1;
        var lines = Channel.CreateBounded<string>(1024);
        var writing = WriteAsync(Path.Combine(folder, "host"), lines.Reader);
        await Task.WhenAll(Enumerable.Range(0, request.Int("window")).Select(_ => Task.Run(async () =>
        {
            long number;
            while (limit.GoesOn(number = Interlocked.Increment(ref next)))
            {
                await lines.Writer.WriteAsync($"made {number}");
                await lines.Writer.WriteAsync($"{await EndingOfAsync(client, folder, number, data)} {number}");
            }
        })));
        lines.Writer.Complete();
        await writing;
        return [Readings.Done()];
    }

    private static async Task<string> EndingOfAsync(IHelloTasksClient client, string folder, long number, byte[] data)
    {
        try
        {
            await client.Witnessed(folder, number, data);
            return "ok";
        }
        catch (WeirException)
        {
            return "failed";
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
