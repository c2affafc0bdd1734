using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Managed bytes that a call costs, in the host and in its worker, by what it takes and gives.</summary>
internal static class WeirAllocation
{
    // Of shapes that nothing is promised about, so many times fewer are enough.
    private const int Fewer = 4;

    /// <summary><c>bytes</c> of each payload, <c>count</c> calls. The pool has one worker.</summary>
    public static async Task<IEnumerable<ControlLine>> RunAsync(IHelloTasksClient tasks, IWorkerProbeClient probe, ControlLine request)
    {
        var (bytes, count) = (request.Int("bytes"), request.Int("count"));
        var data = new byte[bytes];
        return
        [
            .. await ReadAsync("int(bytes)", count, async times =>
            {
                for (var i = 0; i < times; i++)
                    Check(await tasks.Length(data), bytes);
            }),
            .. await ReadAsync("void()", count / Fewer, async times =>
            {
                for (var i = 0; i < times; i++)
                    await probe.Nothing();
            }),
            .. await ReadAsync("string(int)", count / Fewer, async times =>
            {
                for (var i = 0; i < times; i++)
                    Check((await tasks.NothingOf(bytes)).Length, 0);
            }),
            .. await ReadAsync("string(bytes)", count / Fewer, async times =>
            {
                for (var i = 0; i < times; i++)
                    Check((await tasks.Hash(data)).Length, HelloAnswer.Length);
            }),
            Readings.Done(),
        ];

        // The loop is the caller's, in one method: an asynchronous method around each call would be an object per call.
        async Task<IEnumerable<ControlLine>> ReadAsync(string shape, int times, Func<int, Task> calls)
        {
            await calls(times);
            var (host, worker) = (GC.GetTotalAllocatedBytes(precise: true), await probe.AllocatedBytes());
            await calls(times);
            var (hostAfter, workerAfter) = (GC.GetTotalAllocatedBytes(precise: true), await probe.AllocatedBytes());
            return
            [
                Readings.Reading($"{shape}, host", (double)(hostAfter - host) / times, "B"),
                Readings.Reading($"{shape}, worker", (double)(workerAfter - worker) / times, "B"),
            ];
        }
    }

    private static void Check(int length, int expected)
    {
        if (length != expected)
            throw new InvalidOperationException($"A call answered {length} where {expected} is right.");
    }
}
