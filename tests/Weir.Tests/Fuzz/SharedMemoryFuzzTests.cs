using System.Collections.Concurrent;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Tests.Protocol;

namespace Weir.Tests.Fuzz;

/// <summary>
/// What hostile workers with a page do to their host, beside others that do well: every call has one ending, nothing throws or hangs, and
/// who does well answers every call it is given.
/// </summary>
public sealed class PageFuzzTests
{
    private const int Pools = 2;
    private const int Rounds = 1_200;
    private const int CallsPerRound = 8;

    private static readonly byte[][] Spares = [.. Samples.All.Select(static sample => sample.Bytes())];
    private static readonly byte[] Ready = Wire.Bytes(static frames =>
        new ReadyPayload { ProcessId = 1, Capabilities = Capabilities.Page, Operations = [new("Test/Run", 0), new("Test/Stream", 0)] }.Write(frames));

    private readonly ConcurrentDictionary<string, int> _endings = new();
    private int _mutated;
    private int _scribbled;

    [Fact]
    public async Task Whatever_a_worker_does_to_its_page_every_call_ends_and_those_of_others_end_well()
    {
        await Task.WhenAll(Enumerable.Range(30, Pools).Select(seed => Task.Run(() => CallAsync(seed), TestContext.Current.CancellationToken)));
        TestContext.Current.TestOutputHelper?.WriteLine($"{_mutated} mutated frames, {_scribbled} words; {string.Join(", ", _endings)}");
        foreach (var kind in new[] { "value", "violation", "lost", "failed", "untouched", "ImpossiblePage" })
        {
            Assert.True(_endings.GetValueOrDefault(kind) > 5, $"{kind}: {string.Join(", ", _endings)}");
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

                // One at a time, the others come and go beside it. Not before somebody did harm.
                var doesWell = worker.ProcessId % 4 == 0 && Interlocked.CompareExchange(ref wellBehaved, worker, null) is null;
                SayReady(worker);
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
            hasPages: true);
        for (var round = 0; round < Rounds; round++)
        {
            // It would answer all of them: it goes while nobody calls.
            if (round % 2 == 0)
            {
                Interlocked.Exchange(ref wellBehaved, null)?.Die(9);
            }

            var keys = Enumerable.Range(round * CallsPerRound, CallsPerRound).Select(static key => (ulong)key).ToArray();
            var endings = await Task.WhenAll(keys.Select(key => pool.CallAsync(key)));
            for (var i = 0; i < CallsPerRound; i++)
            {
                var doneWell = well.GetValueOrDefault(keys[i]);
                Assert.True(
                    doneWell ? endings[i] == Endings.Value("7"u8) : !endings[i].StartsWith("nothing", StringComparison.Ordinal),
                    $"seed {seed}, call {keys[i]}, of one that does well: {doneWell}, was '{endings[i]}'");
                Count(doneWell ? "untouched" : endings[i].Split(' ')[0]);
                if (endings[i] == Endings.Violation(FrameFault.ImpossiblePage))
                {
                    Count("ImpossiblePage");
                }
            }
        }
    }

    // 1. What it says. 2. What it scribbles, before or after. 3. Who has not certainly given an ending dies: at once, or when nobody heeds it.
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
            // It has scribbled over what it writes by.
        }
    }

    private void Count(string ending) => _endings.AddOrUpdate(ending, 1, static (_, count) => count + 1);

    private static void SayReady(HostileWorker worker) => worker.ControlStream.OnHeard = (type, _, _) =>
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
