using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>The document's tasks as calls of the typed client.</summary>
internal static class WeirCalls
{
    /// <summary>0, 1, 2, …: what every contender hashes when answers are compared.</summary>
    public static byte[] Counting(int bytes)
    {
        var data = new byte[bytes];
        for (var i = 0; i < bytes; i++)
            data[i] = (byte)i;
        return data;
    }

    /// <summary>One after the other, awaited: continuations run on the thread pool.</summary>
    public static async Task<IEnumerable<ControlLine>> OneAtATimeAsync(IHelloTasksClient client, ControlLine request)
    {
        var call = CallOf(client, request);
        var ticks = new long[request.Int("count")];
        var began = Clock.Now;
        for (var i = 0; i < ticks.Length; i++)
        {
            var before = Clock.Now;
            await call();
            ticks[i] = Clock.Now - before;
        }

        return [.. Readings.OfRoundTrips(ticks, Clock.SecondsSince(began)), Readings.Done()];
    }

    /// <summary>One after the other, from a thread that waits for each.</summary>
    public static Task<IEnumerable<ControlLine>> FromOwnThreadAsync(IHelloTasksClient client, ControlLine request) => Task.Factory.StartNew(
        () =>
        {
            var call = CallOf(client, request);
            var ticks = new long[request.Int("count")];
            var began = Clock.Now;
            for (var i = 0; i < ticks.Length; i++)
            {
                var before = Clock.Now;
                _ = call().AsTask().GetAwaiter().GetResult();
                ticks[i] = Clock.Now - before;
            }

            return Readings.OfRoundTrips(ticks, Clock.SecondsSince(began)).Append(Readings.Done());
        },
        CancellationToken.None,
        TaskCreationOptions.LongRunning,
        TaskScheduler.Default);

    /// <summary>A window of calls in flight, each awaited by itself.</summary>
    public static async Task<IEnumerable<ControlLine>> InFlightAsync(IHelloTasksClient client, ControlLine request)
    {
        var call = CallOf(client, request);
        var left = request.Int("count");
        var count = left;
        var began = Clock.Now;
        await Task.WhenAll(Enumerable.Range(0, request.Int("window")).Select(_ => Task.Run(async () =>
        {
            while (Interlocked.Decrement(ref left) >= 0)
                await call();
        })));
        return [Readings.Reading("tasks/s", count / Clock.SecondsSince(began), "1/s"), Readings.Done()];
    }

    /// <summary>Managed bytes that a call of the leanest shape costs the host.</summary>
    public static async Task<IEnumerable<ControlLine>> AllocationAsync(IHelloTasksClient client, ControlLine request)
    {
        var data = new byte[request.Int("bytes")];
        var count = request.Int("count");
        for (var i = 0; i < count; i++)
            await client.Length(data);

        var before = GC.GetTotalAllocatedBytes(precise: true);
        for (var i = 0; i < count; i++)
            await client.Length(data);
        var bytes = GC.GetTotalAllocatedBytes(precise: true) - before;
        return [Readings.Reading("bytes/call", (double)bytes / count, "B"), Readings.Done()];
    }

    private static Func<ValueTask<string>> CallOf(IHelloTasksClient client, ControlLine request)
    {
        var bytes = request.Int("bytes");
        return (request["mode"], request["kind"]) switch
        {
            (LineProtocol.Value, nameof(TaskKind.Nothing)) => () => client.NothingOf(bytes),
            (LineProtocol.Value, nameof(TaskKind.Load)) => () => client.LoadOf(bytes),
            (_, nameof(TaskKind.Nothing)) => () => client.Nothing(new byte[bytes]),
            _ => () => client.Load(new byte[bytes]),
        };
    }
}
