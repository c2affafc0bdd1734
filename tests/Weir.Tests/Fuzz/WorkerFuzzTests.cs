using System.Text;
using Weir.Protocol.Flow;
using Weir.Protocol.Frames;
using Weir.Protocol.Page;
using Weir.Protocol.Payloads;
using Weir.Runtime;
using Weir.Tests.Protocol;
using Weir.Tests.Worker;

namespace Weir.Tests.Fuzz;

/// <summary>
/// What a broken host does to a worker: every call before the fault is answered once and in order, the fault is named in BYE, the
/// worker ends, and nothing throws or hangs.
/// </summary>
public sealed class WorkerFuzzTests
{
    private const int Lanes = 2;
    private const int WorkersPerLane = 6_000;
    private const int MostFrames = 12;

    private static readonly byte[][] Spares = [.. Samples.All.Select(static sample => sample.Bytes())];

    private int _mutated;
    private int _named;
    private int _well;

    [Fact]
    public void Whatever_comes_on_the_data_channel_all_before_it_is_answered_and_it_is_named()
    {
        Parallel.For(0, Lanes, new ParallelOptions { MaxDegreeOfParallelism = Lanes }, lane =>
        {
            var catalog = Catalog();
            for (var i = 0; i < WorkersPerLane; i++)
            {
                HearCalls(catalog, new Random(unchecked((lane * 1_000_003) + i)));
            }
        });
        AssertDiverse();
    }

    [Fact]
    public void Whatever_comes_through_the_ring_all_before_it_is_answered_and_it_is_named()
    {
        Parallel.For(0, Lanes, new ParallelOptions { MaxDegreeOfParallelism = Lanes }, lane =>
        {
            var catalog = Catalog();
            for (var i = 0; i < WorkersPerLane / 3; i++)
            {
                HearRing(catalog, new Random(unchecked((lane * 1_000_003) + i)), scribbles: i % 2 == 1);
            }
        });
        Assert.InRange(_named, WorkersPerLane / 30, int.MaxValue);
        Assert.InRange(_well, WorkersPerLane / 100, int.MaxValue);
        Assert.InRange(_mutated, Lanes * WorkersPerLane / 2, int.MaxValue);
    }

    [Fact]
    public void Whatever_comes_on_the_control_channel_it_is_named_or_obeyed()
    {
        Parallel.For(0, Lanes, new ParallelOptions { MaxDegreeOfParallelism = Lanes }, lane =>
        {
            var catalog = Catalog();
            for (var i = 0; i < WorkersPerLane; i++)
            {
                HearWords(catalog, new Random(unchecked((lane * 1_000_003) - i)));
            }
        });
        AssertDiverse();
    }

    private void AssertDiverse()
    {
        Assert.InRange(_named, WorkersPerLane / 10, int.MaxValue);
        Assert.InRange(_well, WorkersPerLane / 50, int.MaxValue);
        Assert.InRange(_mutated, Lanes * WorkersPerLane, int.MaxValue);
    }

    // 1. Calls, some of them broken, and then the end of the channel. 2. What the protocol's page says to them. 3. What the worker did.
    private void HearCalls(TestCatalog catalog, Random random)
    {
        var mutator = new FrameMutator(random, Spares);
        var bytes = mutator.Stream([.. Enumerable.Range(1, random.Next(1, MostFrames)).Select(id => Call(random, (ulong)id))]);
        var (calls, fault) = ScheduleTick(bytes);

        using var host = ScriptedHost.Ready(catalog);
        host.DataDown.Write(bytes);
        host.DataDown.End();
        var end = host.End.Wait();
        host.DataUp.End();
        host.ControlUp.End();

        for (var id = 1ul; id <= calls; id++)
        {
            host.ExpectData(FrameType.Started, id);
            var ending = host.NextData();
            Assert.Equal((true, id), (ending.Type is FrameType.Result or FrameType.Error, ending.CallId));
        }

        Assert.Null(host.TryNextData());
        Judge(host, end, fault, "abort 3");
        Interlocked.Add(ref _mutated, mutator.Mutated);
    }

    // The same through a page, in pieces. Where its words are scribbled on as well, nobody knows what was said: then the worker ends all
    // the same, and by itself.
    private void HearRing(TestCatalog catalog, Random random, bool scribbles)
    {
        var mutator = new FrameMutator(random, Spares);
        var bytes = mutator.Stream([.. Enumerable.Range(1, random.Next(1, MostFrames)).Select(id => Call(random, (ulong)id))]);
        var (calls, fault) = ScheduleTick(bytes);

        using var page = new PageMemory();
        var scribbler = new Scribbler(random, page);
        using var host = ScriptedHost.Ready(catalog, page: page);
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
            ExpectEndings(page.Host, calls);
            Judge(host, end, fault, "abort 3");
        }

        Interlocked.Add(ref _mutated, mutator.Mutated);
    }

    // False when this host does not believe the page either.
    private static bool TrySend(ScriptedHost host, ReadOnlySpan<byte> bytes)
    {
        try
        {
            host.Data(bytes);
            return true;
        }
        catch (FrameException fault)
        {
            Assert.Equal(FrameFault.ImpossiblePage, fault.Fault);
            return false;
        }
    }

    // What was sent, and what was finished and not sent: one of each call, in order.
    private static void ExpectEndings(HostPage<PageAccess> page, ulong calls)
    {
        using var frames = new FrameReader(FrameRoute.DataUp);
        while (page.Take(frames.GetSpan(), out _) is > 0 and var taken)
        {
            frames.Advance(taken);
        }

        Assert.NotEqual(SalvageOutcome.Hostile, page.Salvage(frames));
        for (var id = 1ul; id <= calls; id++)
        {
            Assert.True(frames.TryRead(out var ending), $"Call {id} of {calls} has no ending.");
            Assert.Equal((true, id), (ending.Type is FrameType.Result or FrameType.Error, ending.CallId));
        }

        frames.Complete();
        Assert.Equal((calls, calls), (page.ReadTotals().Done, page.StartedThrough(0, calls)));
    }

    private void HearWords(TestCatalog catalog, Random random)
    {
        var mutator = new FrameMutator(random, Spares);
        var bytes = mutator.Stream([.. Enumerable.Range(0, random.Next(1, MostFrames)).Select(_ => Word(random))]);
        var (fault, drains) = ForeseeWords(bytes);

        using var host = ScriptedHost.Ready(catalog);
        host.ControlDown.Write(bytes);
        host.ControlDown.End();
        var end = host.End.Wait();
        host.ControlUp.End();
        if (drains)
        {
            // Whoever was told to leave may be gone before it hears the rest.
            Assert.True(end is "leave 0" or "abort 2" or "abort 3", end);
        }
        else
        {
            Judge(host, end, fault, "abort 3");
        }

        Interlocked.Add(ref _mutated, mutator.Mutated);
    }

    private void Judge(ScriptedHost host, string end, FrameFault? fault, string otherwise)
    {
        if (fault is null)
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
        Assert.StartsWith($"{fault}: ", bye.Message, StringComparison.Ordinal);
        Interlocked.Increment(ref _named);
    }

    private static (ulong Calls, FrameFault? Fault) ScheduleTick(byte[] bytes)
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
                        throw new FrameException(FrameFault.UnexpectedFrame, $"{frame.Type}");
                }
            }

            return (sequence.Last, null);
        }
        catch (FrameException broken)
        {
            return (sequence.Last, broken.Fault);
        }

        static void Require(bool holds)
        {
            if (!holds)
            {
                throw new FrameException(FrameFault.MalformedPayload, "");
            }
        }
    }

    private static (FrameFault? Fault, bool Drains) ForeseeWords(byte[] bytes)
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
                        throw new FrameException(FrameFault.UnexpectedFrame, $"{frame.Type}");
                }
            }

            return (null, drains);
        }
        catch (FrameException broken)
        {
            return (broken.Fault, drains);
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
