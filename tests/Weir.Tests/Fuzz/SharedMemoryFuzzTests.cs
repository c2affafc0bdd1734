using System.Collections.Concurrent;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Tests.Protocol;

namespace Weir.Tests.Fuzz;

/// <summary>
/// What hostile workers with shared memory do to their host, beside a well-behaved one: every call has one outcome, nothing throws or hangs,
/// and the well-behaved worker answers every call that it is assigned.
/// </summary>
public sealed class SharedMemoryFuzzTests
{
    private const int Pools = 2;
    private const int Rounds = 1_200;
    private const int CallsPerRound = 8;

    private static readonly byte[][] Spares = [.. Samples.All.Select(static sample => sample.Bytes())];
    private static readonly byte[] Ready = Wire.Bytes(static frames =>
        new ReadyPayload { ProcessId = 1, Capabilities = Capabilities.SharedMemory, Operations = [new("Test/Run", 0), new("Test/Stream", 0)] }.Write(frames));

    private readonly ConcurrentDictionary<string, int> _outcomes = new();
    private int _mutated;
    private int _scribbled;

    [Fact]
    public async Task Whatever_a_worker_does_to_its_shared_memory_every_call_completes_and_calls_of_other_workers_succeed()
    {
        await Task.WhenAll(Enumerable.Range(30, Pools).Select(seed => Task.Run(() => CallAsync(seed), TestContext.Current.CancellationToken)));
        TestContext.Current.TestOutputHelper?.WriteLine($"{_mutated} mutated frames, {_scribbled} words; {string.Join(", ", _outcomes)}");
        foreach (var kind in new[] { "value", "violation", "lost", "failed", "untouched", "ImpossibleSharedMemory" })
        {
            Assert.True(_outcomes.GetValueOrDefault(kind) > 5, $"{kind}: {string.Join(", ", _outcomes)}");
        }

        Assert.InRange(_mutated, Pools * Rounds / 2, int.MaxValue);
        Assert.InRange(_scribbled, Pools * Rounds / 10, int.MaxValue);
    }

    private async Task CallAsync(int seed)
    {
        var well = new ConcurrentDictionary<ulong, bool>();
        HostileWorker? wellBehaved = null;
        await using var pool = new HostilePool(
            seed,
            worker =>
            {
                var random = new Random(unchecked((seed * 1_000_003) + worker.ProcessId));

                // There is one well-behaved worker at a time, the others change beside it. The first worker is a hostile one.
                var doesWell = worker.ProcessId % 4 == 0 && Interlocked.CompareExchange(ref wellBehaved, worker, null) is null;
                SendReady(worker);
                worker.DataStream.OnHeard = (_, callId, payload) =>
                {
                    if (worker.IsDead)
                    {
                        return;
                    }

                    var isStarted = worker.Rings!.Calls.TryStart(callId);
                    if (!doesWell)
                    {
                        well[HostilePool.KeyOf(payload)] = false;
                        DoHarm(worker, random, callId);
                    }
                    else if (isStarted)
                    {
                        well[HostilePool.KeyOf(payload)] = true;
                        Say(worker, Result(callId), sends: true);
                    }
                };
            },
            workers: 2,
            hasSharedMemory: true);
        for (var round = 0; round < Rounds; round++)
        {
            // The well-behaved worker would answer all calls: it is ended while there are none.
            if (round % 2 == 0)
            {
                Interlocked.Exchange(ref wellBehaved, null)?.Die(9);
            }

            var keys = Enumerable.Range(round * CallsPerRound, CallsPerRound).Select(static key => (ulong)key).ToArray();
            var outcomes = await Task.WhenAll(keys.Select(key => pool.CallAsync(key)));
            for (var i = 0; i < CallsPerRound; i++)
            {
                var doneWell = well.GetValueOrDefault(keys[i]);
                Assert.True(
                    doneWell ? outcomes[i] == Outcomes.Value("7"u8) : !outcomes[i].StartsWith("nothing", StringComparison.Ordinal),
                    $"seed {seed}, call {keys[i]}, of one that does well: {doneWell}, was '{outcomes[i]}'");
                Count(doneWell ? "untouched" : outcomes[i].Split(' ')[0]);
                if (outcomes[i] == Outcomes.Violation(FrameError.ImpossibleSharedMemory))
                {
                    Count("ImpossibleSharedMemory");
                }
            }
        }
    }

    // 1. What it sends. 2. What it overwrites, before or after. 3. If it has not certainly sent an outcome, it exits: at once, or when the host waits.
    private void DoHarm(HostileWorker worker, Random random, ulong callId)
    {
        var mutator = new FrameMutator(random, Spares);
        var answer = random.Next(4) == 0 ? Wire.Bytes(frames => ErrorPayload.WriteHandlerFailed(frames, callId, "Some.Error", "no", "at A.B()")) : Result(callId);
        var bytes = random.Next(4) == 0 ? answer : mutator.Mutate(answer);
        var scribbler = new Scribbler(random, worker.Rings!.Memory);
        var isLate = random.Next(2) == 0;
        var scribbles = random.Next(3) == 0;
        var sends = random.Next(6) != 0;
        if (scribbles && !isLate)
        {
            scribbler.Scribble();
        }

        Say(worker, bytes, sends);
        if (scribbles && isLate)
        {
            scribbler.Scribble();
        }

        if (scribbles || !sends || mutator.Mutated > 0)
        {
            if (random.Next(3) == 0)
            {
                worker.Die(11);
            }
            else
            {
                worker.DieWhenAwaited(11);
            }
        }

        Interlocked.Add(ref _mutated, mutator.Mutated);
        Interlocked.Add(ref _scribbled, scribbler.Scribbled);
    }

    private static void Say(HostileWorker worker, byte[] bytes, bool sends)
    {
        try
        {
            if (worker.Rings!.Add(bytes, sends))
            {
                worker.DataStream.Say([1]);
            }
        }
        catch (FrameException)
        {
            // It has overwritten the words that its writer uses.
        }
    }

    private void Count(string outcome) => _outcomes.AddOrUpdate(outcome, 1, static (_, count) => count + 1);

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

    private static byte[] Result(ulong callId) => Wire.Bytes(frames =>
    {
        frames.Begin(FrameType.Result, callId);
        frames.Write("7"u8);
        frames.End();
    });
}
