using System.Diagnostics;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>The document's tasks as calls of the typed client.</summary>
internal static class WeirCalls
{
    // Long enough that beginning and ending one does not count.
    private const int BatchLength = 8192;

    /// <summary>The tasks of a worker of Weir's own.</summary>
    public static TaskCalls Of(IHelloTasksClient client) => new(
        bytes => client.NothingOf(bytes), bytes => client.LoadOf(bytes), data => client.Nothing(data), data => client.Load(data), data => client.Hash(data));

    /// <summary>The tasks of a worker in another language.</summary>
    public static TaskCalls Of(IForeignTasks client) => new(
        bytes => client.NothingOf(bytes), bytes => client.LoadOf(bytes), data => client.Nothing(data), data => client.Load(data), data => client.Hash(data));

    /// <summary>Batches, one after the other, their results as they end.</summary>
    public static async Task<IEnumerable<ControlLine>> InBatchesAsync(IHelloTasksClient client, ControlLine request)
    {
        var kind = Enum.Parse<TaskKind>(request["kind"]);
        var limit = RoundLimit.Of(request);
        var items = new FreshBuffers(request.Int("bytes"), BatchLength);
        Func<IHelloTasksClient, byte[], ValueTask<string>> call = kind == TaskKind.Nothing
            ? static (client, data) => client.Nothing(data)
            : static (client, data) => client.Load(data);
        var watch = Stopwatch.StartNew();
        long done = 0;
        while (limit.GoesOn(done, watch))
        {
            await foreach (var ended in Batch.Of(client, items, call))
            {
                HelloAnswer.Checked(kind, ended.Result);
                done++;
            }
        }

        return Readings.OfRate(done, watch.Elapsed.TotalSeconds);
    }

    /// <summary>
    /// The same payload again and again, one after the other, to an operation that only returns its length: nothing is counted but the
    /// way there.
    /// </summary>
    public static async Task<IEnumerable<ControlLine>> PayloadAsync(IHelloTasksClient client, ControlLine request)
    {
        var data = new byte[request.Int("bytes")];
        data.AsSpan().Fill(1);
        var count = request.Int("count");
        var watch = Stopwatch.StartNew();
        for (var i = 0; i < count; i++)
        {
            if (await client.Length(data) is var length && length != data.Length)
                throw new InvalidOperationException($"{data.Length} bytes are {length} to the worker.");
        }

        return Readings.OfRate(count, watch.Elapsed.TotalSeconds);
    }
}
