using System.Diagnostics;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>The document's tasks as calls of the typed client.</summary>
internal static class WeirCalls
{
    // Long enough that beginning and ending one does not count.
    private const int BatchLength = 8192;

    /// <summary>One after the other, awaited: continuations run on the thread pool.</summary>
    public static async Task<IEnumerable<ControlLine>> OneAtATimeAsync(TaskCalls tasks, ControlLine request)
    {
        var (call, kind) = tasks.Of(request);
        var limit = RoundLimit.Of(request);
        var ticks = new List<long>(RoundLimit.Expected);
        var watch = Stopwatch.StartNew();
        while (limit.GoesOn(ticks.Count, watch))
        {
            var before = watch.ElapsedTicks;
            HelloAnswer.Checked(kind, await call());
            ticks.Add(watch.ElapsedTicks - before);
        }

        return Readings.OfRoundTrips(ticks, watch.Elapsed.TotalSeconds);
    }

    /// <summary>A window of calls in flight, each awaited by itself.</summary>
    public static async Task<IEnumerable<ControlLine>> InFlightAsync(TaskCalls tasks, ControlLine request)
    {
        var (call, kind) = tasks.Of(request);
        var limit = RoundLimit.Of(request);
        var watch = Stopwatch.StartNew();
        long begun = 0;
        long done = 0;
        await Task.WhenAll(Enumerable.Range(0, request.Int("window")).Select(_ => Task.Run(async () =>
        {
            while (limit.GoesOn(Interlocked.Increment(ref begun) - 1, watch))
            {
                HelloAnswer.Checked(kind, await call());
                Interlocked.Increment(ref done);
            }
        })));
        return Readings.OfRate(done, watch.Elapsed.TotalSeconds);
    }

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
