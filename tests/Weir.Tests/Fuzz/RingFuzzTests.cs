using System.Collections.Concurrent;
using Weir.Execution.Processes;
using Weir.Protocol.Frames;
using Weir.Protocol.Page;
using Weir.Tests.Processes;
using Weir.Tests.Protocol;
using HostChannel = Weir.Execution.Processes.Linux.Launch.RingChannel;
using WorkerRings = Weir.Worker.Channels.WorkerRingChannel;

namespace Weir.Tests.Fuzz;

/// <summary>
/// Broken frames that come through a page whose words are scribbled on: whoever reads takes bytes of the ring, those that the words mean,
/// or says that the page is impossible; nothing else is thrown, nobody hangs, and nobody touches what lies beside the page.
/// </summary>
public sealed class RingFuzzTests
{
    private const int Lanes = 2;
    private const int PagesPerLane = 6_000;

    private static readonly byte[][] Up = SamplesOf(FrameRoute.DataUp);
    private static readonly byte[][] Down = SamplesOf(FrameRoute.DataDown);
    private static readonly byte[][] Spares = [.. Samples.All.Select(static sample => sample.Bytes())];

    // How often it happened.
    private readonly ConcurrentDictionary<string, int> _seen = new();
    private int _mutated;

    [Fact]
    public void Whatever_a_worker_writes_to_its_page_the_host_takes_what_it_means_or_names_it()
    {
        ForManyPages(HearWorker);
        AssertSeen("frame", "broken frame", "impossible", "salvage Nothing", "salvage Taken", "salvage Hostile", "sent", "recalled");
    }

    [Fact]
    public void Whatever_a_worker_writes_to_its_page_between_two_looks_of_the_host_it_is_looked_at_once_and_within_bounds()
    {
        ForManyPages(HearRestlessWorker);
        AssertSeen("frame", "broken frame", "impossible", "salvage Nothing", "salvage Taken", "salvage Hostile", "sent", "recalled");
    }

    [Fact]
    public void Whatever_a_host_writes_to_the_page_its_worker_takes_what_it_means_or_names_it()
    {
        ForManyPages(HearHost);
        AssertSeen("frame", "broken frame", "impossible", "added", "not added", "dropped");
    }

    private void ForManyPages(Action<PageMemory, Random> hear)
    {
        Parallel.For(0, Lanes, new ParallelOptions { MaxDegreeOfParallelism = Lanes }, lane =>
        {
            using var memory = new PageMemory();
            for (var i = 0; i < PagesPerLane; i++)
            {
                var seed = (lane * 1_000_003) + i;
                memory.Bytes[..PageLayout.UpBuffer].Clear();
                try
                {
                    hear(memory, new Random(seed));
                }
                catch (Exception failure)
                {
                    Assert.Fail($"seed {seed}: {failure}");
                }
            }
        });
        TestContext.Current.TestOutputHelper?.WriteLine($"{_mutated} mutated frames; {string.Join(", ", _seen)}");
        Assert.InRange(_mutated, 2 * Lanes * PagesPerLane, int.MaxValue);
    }

    private void HearWorker(PageMemory memory, Random random)
    {
        using var page = new BorrowedPage(memory.Address);
        using var socket = new RingingChannel(random.Next(4));
        using var channel = new HostChannel(socket);
        channel.Share(page, static () => { }, static _ => { });
        using var frames = new FrameReader(FrameRoute.DataUp, 64 << 10);
        var (up, _) = PageAccess.OpenWorkerRings(memory.Address);
        var mutator = new FrameMutator(random, Spares);
        var scribbler = new Scribbler(random, memory);
        var model = new RingModel(memory, PageLayout.Up);

        // 1. While it lives.
        var isRead = true;
        for (var steps = random.Next(4, 12); steps > 0; steps--)
        {
            switch (random.Next(8))
            {
                case < 4:
                    Believing(() => up.Add(Broken(mutator, random, Up)));
                    if (random.Next(4) != 0)
                    {
                        up.Send();
                    }

                    break;
                case 4:
                    scribbler.Scribble();
                    break;
                case 5:
                    var bytes = new byte[random.Next(4) == 0 ? 2 * PageLayout.RingSize : 100];
                    var sent = channel.TrySend(bytes);
                    See(sent > 0 ? "sent" : "not sent");
                    Assert.InRange(sent, -1, bytes.Length);
                    break;
                default:
                    Ask(page, random);
                    break;
            }

            isRead = isRead && (random.Next(2) == 0 || Read(channel.TryReceive, frames, model.Take(BufferOf(random)), nothing: -1));
        }

        // 2. What it sent before it died. 3. What it had not.
        channel.End();
        while (isRead && model.Take(BufferOf(random)) is var foreseen)
        {
            isRead = Read(channel.Receive, frames, foreseen, nothing: 0);
            if (foreseen is null or [])
            {
                break;
            }
        }

        if (isRead)
        {
            See($"salvage {page.Salvage(frames)}");
            ReadFrames(frames);
        }

        Interlocked.Add(ref _mutated, mutator.Mutated);
    }

    private void HearRestlessWorker(PageMemory memory, Random random)
    {
        var scribbler = new Scribbler(random, memory);
        var isRestless = false;
        var host = new HostPage<SteppedAccess>(memory.Address, new SteppedAccess(() =>
        {
            if (isRestless && random.Next(8) == 0)
            {
                scribbler.Scribble();
            }
        }));
        host.Format();
        using var frames = new FrameReader(FrameRoute.DataUp, 64 << 10);
        var (up, _) = PageAccess.OpenWorkerRings(memory.Address);
        var mutator = new FrameMutator(random, Spares);
        for (var steps = random.Next(4, 12); steps > 0; steps--)
        {
            Believing(() => up.Add(Broken(mutator, random, Up)));
            up.Send();
            isRestless = true;
            var space = new byte[BufferOf(random)];
            switch (random.Next(6))
            {
                case < 3:
                    if (Believing(() => host.Take(space, out _)) is { } taken)
                    {
                        Assert.InRange(taken, 0, space.Length);
                        frames.Append(space.AsSpan(0, taken));
                        ReadFrames(frames);
                    }

                    break;
                case 3:
                    var sent = Believing(() => host.Send(space, out _));
                    See(sent > 0 ? "sent" : "not sent");
                    Assert.InRange(sent ?? 0, 0, space.Length);
                    break;
                case 4:
                    host.TrySleep();
                    host.TryWaitForRoom();
                    _ = host.HasRoom;
                    break;
                default:
                    var atLeast = (ulong)random.NextInt64();
                    var last = atLeast + (ulong)random.Next(10);
                    Assert.InRange(host.StartedThrough(atLeast, last), atLeast, last);
                    memory.Field(PageLayout.Settle) = random.Next(2) == 0 ? (uint)(atLeast + (ulong)random.Next(3)) : memory.Field(PageLayout.Settle);
                    CheckRecall(host.TryWithdraw(atLeast, last, out var first), atLeast, first, last);
                    host.StartOf(last);
                    host.ReadTotals();
                    break;
            }

            isRestless = false;
        }

        var unread = frames.Unread;
        isRestless = random.Next(2) == 0;
        See($"salvage {host.Salvage(frames)}");
        Assert.InRange(frames.Unread, unread, unread + PageLayout.RingSize);
        ReadFrames(frames);
        Interlocked.Add(ref _mutated, mutator.Mutated);
    }

    private void HearHost(PageMemory memory, Random random)
    {
        var host = PageAccess.OpenHostPage(memory.Address);
        host.Format();
        var channel = new WorkerRings(new RingingChannel(random.Next(10)));
        var up = channel.Share(memory.Address);
        var page = PageAccess.OpenWorkerPage(memory.Address);
        using var frames = new FrameReader(FrameRoute.DataDown, 64 << 10);
        var mutator = new FrameMutator(random, Spares);
        var scribbler = new Scribbler(random, memory);
        var model = new RingModel(memory, PageLayout.Down);
        var isRead = true;
        for (var (steps, call) = (random.Next(4, 12), 0UL); steps > 0; steps--)
        {
            switch (random.Next(8))
            {
                case < 4:
                    Believing(() => host.Send(Broken(mutator, random, Down), out _));
                    break;
                case 4:
                    scribbler.Scribble();
                    break;
                case 5:
                    var bytes = new byte[random.Next(4) == 0 ? 2 * PageLayout.RingSize : 20_000];
                    var added = Believing(() => up.Add(bytes));
                    See(added is null ? "not added" : "added");
                    Assert.InRange(added ?? 0, 0, bytes.Length);
                    up.Send();
                    channel.WakeHost();
                    break;
                case 6:
                    See(page.TryStart(++call) ? "started" : "dropped");
                    page.NoteStart(call, 1);
                    page.End(1);
                    break;
                default:
                    host.TryWithdraw(call, call + (ulong)random.Next(4), out _);
                    _ = page.IsKnown;
                    _ = channel.HasMore;
                    break;
            }

            isRead = isRead && (random.Next(2) == 0 || Read(channel.Receive, frames, model.Take(BufferOf(random)), nothing: 0));
        }

        Interlocked.Add(ref _mutated, mutator.Mutated);
    }

    // What a host asks a page beside its bytes.
    private void Ask(SharedPage page, Random random)
    {
        var atLeast = (ulong)random.Next(3);
        var last = atLeast + (ulong)random.Next(10);
        Assert.InRange(page.StartedThrough(atLeast, last), atLeast, last);
        CheckRecall(page.TryWithdraw(atLeast, last, out var first), atLeast, first, last);
        page.StartOf(last);
        page.ReadTotals();
        page.HasRoom();
        page.TryWaitForRoom();
    }

    private void CheckRecall(bool isRecalled, ulong atLeast, ulong first, ulong last)
    {
        if (isRecalled)
        {
            See("recalled");
            Assert.InRange(first, atLeast + 1, last);
        }
    }

    // False when nobody reads on.
    private bool Read(Reading read, FrameReader frames, byte[]? foreseen, int nothing)
    {
        // No more space than the model was asked for; where that had nothing to give, any.
        var space = new byte[foreseen is null or [] ? 100 : foreseen.Length];
        int count;
        try
        {
            count = read(space);
        }
        catch (FrameException fault)
        {
            Assert.Equal(FrameFault.ImpossiblePage, fault.Fault);
            Assert.Null(foreseen);
            See("impossible");
            return false;
        }

        Assert.NotNull(foreseen);
        Assert.Equal(foreseen.Length == 0 ? nothing : foreseen.Length, count);
        if (count > 0)
        {
            Assert.True(foreseen.AsSpan().SequenceEqual(space), "Other bytes than the words mean.");
            frames.Append(space);
        }

        return ReadFrames(frames);
    }

    // False when the channel is lost.
    private bool ReadFrames(FrameReader frames)
    {
        try
        {
            while (frames.TryRead(out var frame))
            {
                See("frame");
                Wire.Interpret(frame);
            }

            return true;
        }
        catch (FrameException)
        {
            See("broken frame");
            return false;
        }
    }

    // Null where the page is not believed.
    private int? Believing(Func<int> touch)
    {
        try
        {
            return touch();
        }
        catch (FrameException fault)
        {
            Assert.Equal(FrameFault.ImpossiblePage, fault.Fault);
            See("impossible");
            return null;
        }
    }

    private void See(string what) => _seen.AddOrUpdate(what, 1, static (_, count) => count + 1);

    private void AssertSeen(params string[] all) => Assert.All(all, what => Assert.True(_seen.GetValueOrDefault(what) > 20, $"{what}: {string.Join(", ", _seen)}"));

    private static byte[] Broken(FrameMutator mutator, Random random, byte[][] samples) =>
        mutator.Stream([.. Enumerable.Range(0, random.Next(1, 4)).Select(_ => samples[random.Next(samples.Length)])]);

    private static int BufferOf(Random random) => random.Next(4) == 0 ? 100_000 : random.Next(1, 300);

    private static byte[][] SamplesOf(FrameRoute route) =>
        [.. Samples.All.Select(static sample => sample.Bytes()).Where(bytes => (FrameRules.Of((FrameType)bytes[4]).Routes & route) != 0)];

    private delegate int Reading(Span<byte> space);
}
