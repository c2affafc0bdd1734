using System.Collections.Concurrent;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Tests.Protocol;

namespace Weir.Tests.Fuzz;

/// <summary>
/// What a hostile worker does to its host: every call has the outcome that <c>docs/protocol.md</c> defines, each violation is named,
/// the pool continues, and nothing throws, hangs or grows.
/// </summary>
public sealed class HostFuzzTests
{
    private const int Pools = 2;
    private const int CallsPerPool = 15_000;

    private static readonly byte[][] Spares = [.. Samples.All.Select(static sample => sample.Bytes())];
    private static readonly byte[] Ready = Wire.Bytes(static frames => new ReadyPayload { ProcessId = 1, Operations = [new("Test/Run", 0), new("Test/Stream", 0)] }.Write(frames));

    private readonly ConcurrentDictionary<string, int> _outcomes = new();
    private int _mutated;

    [Fact]
    public async Task Whatever_arrives_on_the_data_channel_a_call_has_the_outcome_that_the_protocol_defines()
    {
        await Task.WhenAll(Enumerable.Range(0, Pools).Select(seed => Task.Run(() => AnswerAsync(seed, CallsPerPool, isStream: false), TestContext.Current.CancellationToken)));

        // All kinds of outcomes occurred, and there were many mutations.
        foreach (var kind in new[] { "value", "violation", "lost", "failed", "status", "arguments", "cancelled", "deadline", "memory" })
        {
            Assert.InRange(_outcomes.GetValueOrDefault(kind), 20, int.MaxValue);
        }

        Assert.InRange(_mutated, Pools * CallsPerPool * 4 / 5, int.MaxValue);
    }

    [Fact]
    public async Task Whatever_arrives_on_the_data_channel_a_stream_has_its_items_and_then_the_outcome_that_the_protocol_defines()
    {
        await Task.WhenAll(Enumerable.Range(5, Pools).Select(seed => Task.Run(() => AnswerAsync(seed, CallsPerPool / 4, isStream: true), TestContext.Current.CancellationToken)));
        foreach (var kind in new[] { "end", "violation", "lost", "failed" })
        {
            Assert.InRange(_outcomes.GetValueOrDefault(kind), 20, int.MaxValue);
        }
    }

    [Fact]
    public async Task Whatever_arrives_on_the_control_channel_ends_its_worker_with_a_named_violation_or_has_no_effect()
    {
        await Task.WhenAll(Enumerable.Range(10, Pools).Select(seed => Task.Run(() => TalkAsync(seed, CallsPerPool / 2), TestContext.Current.CancellationToken)));
        Assert.InRange(_outcomes["value"], 100, int.MaxValue);
        Assert.InRange(_mutated, CallsPerPool / 2, int.MaxValue);
    }

    [Fact]
    public async Task Whatever_arrives_in_the_place_of_READY_a_worker_serves_or_fails_to_start()
    {
        await Task.WhenAll(Enumerable.Range(20, Pools).Select(seed => Task.Run(() => StartAsync(seed, CallsPerPool / 4), TestContext.Current.CancellationToken)));
        Assert.InRange(_outcomes["value"], 100, int.MaxValue);
        Assert.InRange(_outcomes["lost"], 100, int.MaxValue);
    }

    private async Task AnswerAsync(int seed, int calls, bool isStream)
    {
        HostileWorker? last = null;
        AnswerModel? model = null;
        string? predicted = null;
        var attempts = 0;
        await using (var pool = new HostilePool(seed, worker =>
        {
            var its = new AnswerModel(HostilePool.MostPayload, isStream);
            worker.Model = its;
            SendReady(worker);
            worker.DataStream.OnHeard = (type, callId, payload) =>
            {
                // 1. What the worker sends, and what that means.
                (last, model) = (worker, its);
                var random = new Random(unchecked(((((int)HostilePool.KeyOf(payload) * 31) + ++attempts) * 7919) + seed));
                its.Begin(callId);
                var bytes = Mutated(random, isStream ? Items(random, callId) : Answer(random, callId));
                var outcome = its.Hear(bytes);

                // 2. A worker that sends no outcome exits: calls that it had not started are requeued, three times.
                var dies = outcome is null && its.Error is null;
                predicted = its.Items + (dies && (its.HasStarted || attempts == 3) ? Outcomes.Lost : outcome);
                worker.DataStream.Say(bytes);
                if (dies)
                {
                    worker.Die(11);
                }
            };
        }))
        {
            for (var i = 0; i < calls; i++)
            {
                (predicted, attempts) = (null, 0);
                var outcome = isStream ? await pool.StreamAsync((ulong)i) : await pool.CallAsync((ulong)i);
                Assert.True(outcome == predicted, $"seed {seed}, call {i}, attempt {attempts}: predicted '{predicted}', was '{outcome}'");
                Count(outcome);
                if (model!.Error is not null)
                {
                    await last!.Exited.WaitAsync(TimeSpan.FromSeconds(30), TimeProvider.System, TestContext.Current.CancellationToken);
                }
            }

            Assert.InRange(pool.Launched, calls / 20, 3 * calls);
        }
    }

    private async Task TalkAsync(int seed, int calls)
    {
        HostileWorker? last = null;
        ControlModel? model = null;
        var attempts = 0;
        await using var pool = new HostilePool(seed, worker =>
        {
            var its = new ControlModel();
            worker.Model = its;
            its.Hear(Ready);
            SendReady(worker);
            worker.DataStream.OnHeard = (type, callId, payload) =>
            {
                (last, model) = (worker, its);
                var random = new Random(unchecked(((int)HostilePool.KeyOf(payload) * 7919) + seed));
                var bytes = ++attempts == 1 ? Mutated(random, Talk(random, callId)) : [];
                its.Hear(bytes);
                var first = random.Next(2) == 0;
                if (first)
                {
                    worker.ControlStream.Say(bytes);
                }

                worker.DataStream.Say([.. Started(callId), .. Result(callId, "7"u8)]);
                if (!first)
                {
                    worker.ControlStream.Say(bytes);
                }
            };
        });
        for (var i = 0; i < calls; i++)
        {
            attempts = 0;
            FrameError? error = null;
            var outcome = await pool.CallAsync((ulong)i);
            error = model!.Error;
            Assert.True(
                outcome == Outcomes.Value("7"u8) || (error is { } named && outcome == Outcomes.Violation(named)),
                $"seed {seed}, call {i}, attempt {attempts}: predicted '{error}', was '{outcome}'");
            Count(outcome);
            if (error is not null)
            {
                await last!.Exited.WaitAsync(TimeSpan.FromSeconds(30), TimeProvider.System, TestContext.Current.CancellationToken);
            }
        }
    }

    private async Task StartAsync(int seed, int calls)
    {
        await using var pool = new HostilePool(seed, worker =>
        {
            var random = new Random(unchecked((seed * 1_000_003) + worker.ProcessId));
            var model = new ControlModel();
            worker.Model = model;
            worker.DataStream.OnHeard = (_, callId, _) => worker.DataStream.Say([.. Started(callId), .. Result(callId, "7"u8)]);
            worker.ControlStream.OnHeard = (type, _, _) =>
            {
                switch (type)
                {
                    case FrameType.Hello:
                        var bytes = Mutated(random, random.Next(8) == 0 ? Spares[Index("ready-failed")] : Ready);
                        model.Hear(bytes);
                        worker.ControlStream.Say(bytes);
                        if (model is { HasReady: false, Error: null })
                        {
                            worker.Die(11);
                        }

                        break;
                    case FrameType.Drain:
                        worker.Die(15);
                        break;
                }
            };
        });
        for (var i = 0; i < calls; i++)
        {
            var outcome = await pool.CallAsync((ulong)i);
            Assert.True(
                outcome == Outcomes.Value("7"u8) || outcome == Outcomes.Lost || outcome.StartsWith("violation", StringComparison.Ordinal),
                $"seed {seed}, call {i}: was '{outcome}'");
            Count(outcome);

            // A worker that serves gets no further call.
            pool.KillLast();
        }
    }

    private byte[] Mutated(Random random, params IReadOnlyList<byte[]> frames)
    {
        var mutator = new FrameMutator(random, Spares);
        var bytes = mutator.Stream(frames);
        Interlocked.Add(ref _mutated, mutator.Mutated);
        return bytes;
    }

    private void Count(string outcome) => _outcomes.AddOrUpdate(outcome.Split(' ')[0].Split(']')[^1], 1, static (_, count) => count + 1);

    private static void SendReady(HostileWorker worker) => worker.ControlStream.OnHeard = (type, _, _) =>
    {
        if (type == FrameType.Hello)
        {
            worker.ControlStream.Say(Ready);
        }
        else if (type == FrameType.Drain)
        {
            worker.Die(15);
        }
    };

    private static byte[][] Answer(Random random, ulong callId) =>
    [
        Started(callId),
        random.Next(8) switch
        {
            0 => Wire.Bytes(frames => ErrorPayload.WriteHandlerFailed(frames, callId, "Some.Error", "no", "at A.B()")),
            1 => Wire.Bytes(frames => ErrorPayload.WriteStatus(frames, callId, new OperationStatusException(409, "taken", new Dictionary<string, string> { ["A"] = "1", ["B"] = "2" }))),
            2 => Wire.Bytes(frames => ErrorPayload.WriteBadArguments(frames, callId, [new BindingError("days", "frame", BindingErrorReason.Invalid, "a number")])),
            3 => Wire.Bytes(frames => ErrorPayload.Write(frames, callId, (ErrorKind)random.Next((int)ErrorKind.Cancelled, (int)ErrorKind.OutOfMemory + 1))),
            4 => Result(callId, "null"u8),
            _ => Result(callId, "{\"a\":[1,2,3],\"b\":\"something longer than a header\"}"u8),
        },
    ];

    private static byte[][] Items(Random random, ulong callId) =>
    [
        Started(callId),
        .. Enumerable.Range(0, random.Next(5)).Select(_ => Wire.Bytes(frames =>
        {
            frames.Begin(FrameType.Item, callId);
            frames.Write("[1,2,3,4,5,6,7,8,9]"u8);
            frames.End();
        })),
        random.Next(4) == 0
            ? Wire.Bytes(frames => ErrorPayload.WriteHandlerFailed(frames, callId, "Some.Error", "no", null))
            : Wire.Bytes(frames => frames.Append(FrameType.Result, callId, FrameFlags.NoValue)),
    ];

    private static byte[][] Talk(Random random, ulong callId) =>
    [
        .. Enumerable.Range(0, random.Next(1, 4)).Select(_ => random.Next(4) switch
        {
            0 => Wire.Bytes(frames => new PingPayload(7).Write(frames, FrameType.Pong)),
            1 => Wire.Bytes(frames => new ReturnedPayload(callId).Write(frames, callId + 1)),
            2 => Wire.Bytes(static frames => new ByePayload(ByeReason.Drained, "so long").Write(frames)),
            _ => Wire.Bytes(frames => new LogPayload(3, 17, 0, "Slow", "App.Hasher", "slow", "").Write(frames, callId)),
        }),
    ];

    private static byte[] Started(ulong callId) => Wire.Bytes(frames => frames.Append(FrameType.Started, callId));

    private static byte[] Result(ulong callId, ReadOnlySpan<byte> value)
    {
        var bytes = new byte[FrameHeader.Size + value.Length];
        new FrameHeader(FrameType.Result, FrameFlags.None, callId, value.Length).Write(bytes);
        value.CopyTo(bytes.AsSpan(FrameHeader.Size));
        return bytes;
    }

    private static int Index(string sample) => Samples.All.Select(static one => one.Name).ToList().IndexOf(sample);
}
