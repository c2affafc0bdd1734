using System.Text;
using Weir.Protocol.Flow;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Protocol.SharedMemory;
using Weir.Runtime;
using Weir.Tests.Protocol;
using Weir.Tests.Worker;

namespace Weir.Tests.Fuzz;

/// <summary>
/// What a defective host does to a worker: every call before the violation is answered once and in order, BYE names the violation, the
/// worker ends, and nothing throws or hangs.
/// </summary>
public sealed class WorkerFuzzTests
{
    private const int Lanes = 2;
    private const int WorkersPerLane = 1_500;
    private const int LongWorkersPerLane = 20_000;
    private const int MostFrames = 12;

    private static readonly byte[][] Spares = [.. Samples.All.Select(static sample => sample.Bytes())];

    private int _mutated;
    private int _named;
    private int _well;

    [Fact]
    public void Whatever_arrives_on_the_data_channel_all_calls_before_it_are_answered_and_the_violation_is_named() => RunCalls(WorkersPerLane);

    [Fact]
    public void Whatever_arrives_through_the_ring_all_calls_before_it_are_answered_and_the_violation_is_named() => RunRings(WorkersPerLane);

    [Fact]
    public void Whatever_arrives_on_the_control_channel_is_obeyed_or_named_as_a_violation() => RunControls(WorkersPerLane);

    [Fact]
    [Trait("Kind", "Long")]
    public void Whatever_arrives_on_the_data_channel_of_forty_thousand_workers_is_answered_or_named() => RunCalls(LongWorkersPerLane);

    [Fact]
    [Trait("Kind", "Long")]
    public void Whatever_arrives_through_the_rings_of_forty_thousand_workers_is_answered_or_named() => RunRings(LongWorkersPerLane);

    [Fact]
    [Trait("Kind", "Long")]
    public void Whatever_arrives_on_the_control_channel_of_forty_thousand_workers_is_obeyed_or_named() => RunControls(LongWorkersPerLane);

    private void RunCalls(int workers)
    {
        Run(workers, static (test, catalog, lane, i) => test.CheckCalls(catalog, new Random(unchecked((lane * 1_000_003) + i))));
        AssertDiverse(workers);
    }

    private void RunRings(int workers)
    {
        Run(workers, static (test, catalog, lane, i) => test.CheckRing(catalog, new Random(unchecked((lane * 1_000_003) + i)), scribbles: i % 2 == 1));
        AssertDiverse(workers);
    }

    private void RunControls(int workers)
    {
        Run(workers, static (test, catalog, lane, i) => test.CheckControl(catalog, new Random(unchecked((lane * 1_000_003) - i))));
        AssertDiverse(workers);
    }

    private void Run(int workers, Action<WorkerFuzzTests, TestCatalog, int, int> check) =>
        Parallel.For(0, Lanes, new ParallelOptions { MaxDegreeOfParallelism = Lanes }, lane =>
        {
            var catalog = Catalog();
            for (var i = 0; i < workers; i++)
            {
                check(this, catalog, lane, i);
            }
        });

    private void AssertDiverse(int workers)
    {
        Assert.InRange(_named, workers / 10, int.MaxValue);
        Assert.InRange(_well, workers / 50, int.MaxValue);
        Assert.InRange(_mutated, Lanes * workers, int.MaxValue);
    }

    // 1. Calls, some of them damaged, and then the end of the channel. 2. What docs/protocol.md requires for them. 3. What the worker did.
    private void CheckCalls(TestCatalog catalog, Random random)
    {
        var mutator = new FrameMutator(random, Spares);
        var bytes = mutator.Stream([.. Enumerable.Range(1, random.Next(1, MostFrames)).Select(id => Call(random, (ulong)id))]);
        var (calls, error) = PredictCalls(bytes);

        using var host = ScriptedHost.Ready(catalog);
        host.DataDown.Write(bytes);
        host.DataDown.End();
        var end = host.End.Wait();
        host.DataUp.End();
        host.ControlUp.End();

        for (var id = 1ul; id <= calls; id++)
        {
            host.ExpectData(FrameType.Started, id);
            var outcome = host.NextData();
            Assert.Equal((true, id), (outcome.Type is FrameType.Result or FrameType.Error, outcome.CallId));
        }

        Assert.Null(host.TryNextData());
        Judge(host, end, error, "abort 3");
        Interlocked.Add(ref _mutated, mutator.Mutated);
    }

    // The same through shared memory, in pieces. If its words are overwritten too, the sent bytes are unknown: then the worker must still end,
    // and by itself.
    private void CheckRing(TestCatalog catalog, Random random, bool scribbles)
    {
        var mutator = new FrameMutator(random, Spares);
        var bytes = mutator.Stream([.. Enumerable.Range(1, random.Next(1, MostFrames)).Select(id => Call(random, (ulong)id))]);
        var (calls, error) = PredictCalls(bytes);

        using var region = new AllocatedRegion();
        var scribbler = new Scribbler(random, region);
        using var host = ScriptedHost.Ready(catalog, region: region);
        for (var rest = bytes.AsSpan(); !rest.IsEmpty;)
        {
            if (scribbles)
            {
                scribbler.Scribble();
            }

            var piece = rest[..random.Next(1, rest.Length + 1)];
            rest = rest[piece.Length..];
            if (!TrySend(host, piece))
            {
                break;
            }
        }

        host.DataDown.End();
        var end = host.End.Wait();
        host.DataUp.End();
        host.ControlUp.End();
        if (scribbles)
        {
            Assert.True(end is "abort 2" or "abort 3", end);
        }
        else
        {
            ExpectOutcomes(region.Host, calls);
            Judge(host, end, error, "abort 3");
        }

        Interlocked.Add(ref _mutated, mutator.Mutated);
    }

    // False if this host rejects the shared memory too.
    private static bool TrySend(ScriptedHost host, ReadOnlySpan<byte> bytes)
    {
        try
        {
            host.Data(bytes);
            return true;
        }
        catch (FrameException violation)
        {
            Assert.Equal(FrameError.ImpossibleSharedMemory, violation.Error);
            return false;
        }
    }

    // Results that were sent, and results that were finished but not sent: one for each call, in order.
    private static void ExpectOutcomes(HostSharedMemory<SharedMemoryAccess> region, ulong calls)
    {
        using var frames = new FrameReader(FrameRoute.DataUp);
        while (region.Take(frames.GetSpan(), out _) is > 0 and var taken)
        {
            frames.Advance(taken);
        }

        Assert.NotEqual(SalvageOutcome.Hostile, region.Salvage(frames));
        for (var id = 1ul; id <= calls; id++)
        {
            Assert.True(frames.TryRead(out var outcome), $"Call {id} of {calls} has no outcome.");
            Assert.Equal((true, id), (outcome.Type is FrameType.Result or FrameType.Error, outcome.CallId));
        }

        frames.Complete();
        Assert.Equal((calls, calls), (region.ReadTotals().Done, region.StartedThrough(0, calls)));
    }

    private void CheckControl(TestCatalog catalog, Random random)
    {
        var mutator = new FrameMutator(random, Spares);
        var bytes = mutator.Stream([.. Enumerable.Range(0, random.Next(1, MostFrames)).Select(_ => Word(random))]);
        var (error, drains) = PredictControl(bytes);

        using var host = ScriptedHost.Ready(catalog);
        host.ControlDown.Write(bytes);
        host.ControlDown.End();
        var end = host.End.Wait();
        host.ControlUp.End();
        if (drains)
        {
            // A worker that was sent DRAIN may exit before it reads the rest.
            Assert.True(end is "exit 0" or "abort 2" or "abort 3", end);
        }
        else
        {
            Judge(host, end, error, "abort 3");
        }

        Interlocked.Add(ref _mutated, mutator.Mutated);
    }

    private void Judge(ScriptedHost host, string end, FrameError? error, string otherwise)
    {
        if (error is null)
        {
            Assert.Equal(otherwise, end);
            Interlocked.Increment(ref _well);
            return;
        }

        Assert.Equal("abort 2", end);
        ScriptedHost.Received frame;
        while ((frame = host.NextControl()).Type != FrameType.Bye)
        {
            Assert.True(frame.Type is FrameType.Pong or FrameType.Log, $"{frame.Type} before BYE");
        }

        var bye = ByePayload.Read(frame.Payload);
        Assert.Equal(ByeReason.ProtocolViolation, bye.Reason);
        Assert.StartsWith($"{error}: ", bye.Message, StringComparison.Ordinal);
        Interlocked.Increment(ref _named);
    }

    private static (ulong Calls, FrameError? Error) PredictCalls(byte[] bytes)
    {
        var sequence = default(SequenceCheck);
        using var frames = new FrameReader(FrameRoute.DataDown);
        try
        {
            frames.Append(bytes);
            while (frames.TryRead(out var frame))
            {
                switch (frame.Type)
                {
                    case FrameType.Call:
                        var call = CallPayload.Read(frame.Memory);
                        Require(call.Operation == 0);
                        foreach (var part in call.Parts)
                        {
                            Require(part.Kind == PartKind.Json || part.Parameter < 2);
                        }

                        sequence.Accept(frame.CallId);
                        break;
                    case FrameType.Credit:
                        CreditPayload.Read(frame.Payload);
                        break;
                    default:
                        throw new FrameException(FrameError.UnexpectedFrame, $"{frame.Type}");
                }
            }

            return (sequence.Last, null);
        }
        catch (FrameException broken)
        {
            return (sequence.Last, broken.Error);
        }

        static void Require(bool holds)
        {
            if (!holds)
            {
                throw new FrameException(FrameError.MalformedPayload, "");
            }
        }
    }

    private static (FrameError? Error, bool Drains) PredictControl(byte[] bytes)
    {
        var drains = false;
        using var frames = new FrameReader(FrameRoute.ControlDown);
        try
        {
            frames.Append(bytes);
            while (frames.TryRead(out var frame))
            {
                Wire.Interpret(frame);
                switch (frame.Type)
                {
                    case FrameType.Ping or FrameType.Credit:
                        break;
                    case FrameType.Cancel when frame.CallId <= 65_536:
                        break;
                    case FrameType.Drain:
                        drains = true;
                        break;
                    default:
                        throw new FrameException(FrameError.UnexpectedFrame, $"{frame.Type}");
                }
            }

            return (null, drains);
        }
        catch (FrameException broken)
        {
            return (broken.Error, drains);
        }
    }

    private static TestCatalog Catalog() => new TestCatalog().Sync(static (call, _) => call.Text);

    private static byte[] Call(Random random, ulong id) => Wire.Bytes(ScriptedHost.CallOf(
        id,
        0,
        text: random.Next(4) == 0 ? null : "some text",
        data: random.Next(2) == 0 ? null : Encoding.ASCII.GetBytes("0123456789"),
        encoding: (ResultEncoding)random.Next(2),
        remaining: random.Next(3) == 0 ? 60_000 : -1,
        trace: random.Next(3) == 0 ? "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" : null));

    private static byte[] Word(Random random) => random.Next(20) switch
    {
        < 8 => Wire.Bytes(static frames => new PingPayload(0x1122334455667788).Write(frames, FrameType.Ping)),
        < 14 => Wire.Bytes(frames => new CancelPayload(CancelReason.Caller).Write(frames, (ulong)random.Next(1, 1000))),
        < 19 => Wire.Bytes(frames => new CreditPayload(65_536).Write(frames, (ulong)random.Next(1, 1000))),
        _ => Wire.Bytes(static frames => frames.Append(FrameType.Drain, 0)),
    };
}
