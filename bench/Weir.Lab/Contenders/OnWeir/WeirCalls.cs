using System.Diagnostics;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>The document's tasks as calls of the typed client.</summary>
internal static class WeirCalls
{
    /// <summary>One after the other, awaited: continuations run on the thread pool.</summary>
    public static async Task<IEnumerable<ControlLine>> OneAtATimeAsync(IHelloTasksClient client, ControlLine request)
    {
        var (call, kind) = CallOf(client, request);
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

    /// <summary>One after the other, from a thread that waits for each.</summary>
    public static Task<IEnumerable<ControlLine>> FromOwnThreadAsync(IHelloTasksClient client, ControlLine request) => Task.Factory.StartNew(
        () =>
        {
            var (call, kind) = CallOf(client, request);
            var limit = RoundLimit.Of(request);
            var ticks = new List<long>(RoundLimit.Expected);
            var watch = Stopwatch.StartNew();
            while (limit.GoesOn(ticks.Count, watch))
            {
                var before = watch.ElapsedTicks;
                HelloAnswer.Checked(kind, call().AsTask().GetAwaiter().GetResult());
                ticks.Add(watch.ElapsedTicks - before);
            }

            return Readings.OfRoundTrips(ticks, watch.Elapsed.TotalSeconds);
        },
        CancellationToken.None,
        TaskCreationOptions.LongRunning,
        TaskScheduler.Default);

    /// <summary>A window of calls in flight, each awaited by itself.</summary>
    public static async Task<IEnumerable<ControlLine>> InFlightAsync(IHelloTasksClient client, ControlLine request)
    {
        var (call, kind) = CallOf(client, request);
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

    /// <summary>Managed bytes that a call of the leanest shape costs the host.</summary>
    public static async Task<IEnumerable<ControlLine>> AllocationAsync(IHelloTasksClient client, ControlLine request)
    {
        var data = new byte[request.Int("bytes")];
        var count = request.Int("count");
        for (var i = 0; i < count; i++)
            Check(await client.Length(data));

        var before = GC.GetTotalAllocatedBytes(precise: true);
        for (var i = 0; i < count; i++)
            Check(await client.Length(data));
        var bytes = GC.GetTotalAllocatedBytes(precise: true) - before;
        return [Readings.Reading("bytes/call", (double)bytes / count, "B"), Readings.Done()];

        void Check(int length)
        {
            if (length != data.Length)
                throw new InvalidOperationException($"{data.Length} bytes are {length} to the worker.");
        }
    }

    private static (Func<ValueTask<string>> Call, TaskKind Kind) CallOf(IHelloTasksClient client, ControlLine request)
    {
        var bytes = request.Int("bytes");
        var kind = Enum.Parse<TaskKind>(request["kind"]);
        return (request["mode"], kind) switch
        {
            (LineProtocol.Value, TaskKind.Nothing) => (() => client.NothingOf(bytes), kind),
            (LineProtocol.Value, _) => (() => client.LoadOf(bytes), kind),
            (_, TaskKind.Nothing) => (() => client.Nothing(new byte[bytes]), kind),
            _ => (() => client.Load(new byte[bytes]), kind),
        };
    }
}
