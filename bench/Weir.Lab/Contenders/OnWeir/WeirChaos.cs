using System.Threading.Channels;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Calls while workers are killed: every ending as the caller sees it goes into a file.</summary>
internal static class WeirChaos
{
    public static async Task<IEnumerable<ControlLine>> RunAsync(IHelloTasksClient client, ControlLine request)
    {
        var folder = request["folder"];
        var data = new byte[request.Int("bytes")];
        var next = -1;
        var endings = Channel.CreateBounded<string>(1024);
        var writing = WriteAsync(Path.Combine(folder, "host"), endings.Reader);
        await Task.WhenAll(Enumerable.Range(0, request.Int("window")).Select(_ => Task.Run(async () =>
        {
            int number;
            while ((number = Interlocked.Increment(ref next)) < request.Int("count"))
                await endings.Writer.WriteAsync($"{await EndingOfAsync(client, folder, number, data)} {number}");
        })));
        endings.Writer.Complete();
        await writing;
        return [Readings.Done()];
    }

    private static async Task<string> EndingOfAsync(IHelloTasksClient client, string folder, int number, byte[] data)
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

    private static async Task WriteAsync(string path, ChannelReader<string> endings)
    {
        await using var file = new StreamWriter(path);
        file.AutoFlush = true;
        await foreach (var ending in endings.ReadAllAsync())
            await file.WriteLineAsync(ending);
    }
}
