using System.Diagnostics;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.Work;

/// <summary>Document 003's tasks as calls that are awaited, to workers of any kind.</summary>
internal sealed record TaskCalls(
    Func<int, ValueTask<string>> NothingOf,
    Func<int, ValueTask<string>> LoadOf,
    Func<byte[], ValueTask<string>> Nothing,
    Func<byte[], ValueTask<string>> Load,
    Func<byte[], ValueTask<string>> Hash)
{
    /// <summary>One after the other, awaited: continuations run on the thread pool.</summary>
    public async Task<IEnumerable<ControlLine>> OneAtATimeAsync(ControlLine request)
    {
        var (call, kind) = Of(request);
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
    public async Task<IEnumerable<ControlLine>> InFlightAsync(ControlLine request)
    {
        var (call, kind) = Of(request);
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

    /// <summary>The hash that is compared between contenders.</summary>
    public async Task<IEnumerable<ControlLine>> AnswerAsync(ControlLine request) =>
        [new ControlLine("ok").With("answer", await Hash(HelloAnswer.Counting(request.Int("bytes"))))];

    // The task that a request names, each with a buffer of its own; the call keeps nothing else.
    private (Func<ValueTask<string>> Call, TaskKind Kind) Of(ControlLine request)
    {
        var bytes = request.Int("bytes");
        var kind = Enum.Parse<TaskKind>(request["kind"]);
        return (request["mode"], kind) switch
        {
            (LineProtocol.Value, TaskKind.Nothing) => (() => NothingOf(bytes), kind),
            (LineProtocol.Value, _) => (() => LoadOf(bytes), kind),
            (_, TaskKind.Nothing) => (() => Nothing(new byte[bytes]), kind),
            _ => (() => Load(new byte[bytes]), kind),
        };
    }
}
