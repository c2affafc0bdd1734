using Weir.Protocol.Frames;
using Weir.Protocol.Page;

namespace Weir.Tests.Protocol;

/// <summary>
/// A worker that dies after any of its steps: what it finished is delivered once, the call it ran is the one that is lost, the
/// others were never begun.
/// </summary>
public sealed class SalvageTests
{
    // Results in one piece, such as make the next one start over, such as do not fit behind others, such as fill the ring exactly, such
    // as never fit.
    private static readonly int[][] Scripts =
    [
        [0, 1, 100],
        [20_000, 30_000, 10],
        [PageLayout.RingSize / 2, PageLayout.RingSize / 2, 10],
        [PageLayout.RingSize - FrameHeader.Size, 5, 0],
        [5, PageLayout.RingSize - FrameHeader.Size + 1, 7],
        [(2 * PageLayout.RingSize) + 100, 3, PageLayout.RingSize, 1],
    ];

    private static readonly Dictionary<(int Call, int Length), byte[]> Made = [];

    [Theory]
    [InlineData(int.MaxValue, 1)]
    [InlineData(int.MaxValue, 3)]
    [InlineData(300_000, 2)]
    [InlineData(100_000, 1)]
    public void Wherever_a_worker_dies_nothing_is_lost_or_doubled_and_only_the_running_call_is_in_doubt(int mostTaken, int callsPerFlush)
    {
        foreach (var script in Scripts)
        {
            var step = 0;
            while (DiesAfter(step++, script, mostTaken, callsPerFlush))
            {
            }

            Assert.True(step > 20, $"Only {step} places to die in were found.");
        }
    }

    [Fact]
    public void A_frame_of_which_some_was_sent_is_whole_again()
    {
        for (var cut = 0; cut <= FrameHeader.Size + 5; cut++)
        {
            using var page = new PageMemory();
            var (up, _) = PageAccess.OpenWorkerRings(page.Address);
            Assert.True(up.TryAdd(new FrameHeader(FrameType.Result, FrameFlags.Raw, 1, 5), "hello"u8));
            page.Field(PageLayout.UpSent) = (ulong)cut;
            using var frames = new FrameReader(FrameRoute.DataUp);
            var taken = page.Host.Take(frames.GetSpan(), out _);
            Assert.Equal(cut, taken);
            frames.Advance(taken);
            Assert.Equal(cut == FrameHeader.Size + 5 ? SalvageOutcome.Nothing : SalvageOutcome.Taken, page.Host.Salvage(frames));
            Assert.True(frames.TryRead(out var frame));
            Assert.Equal("hello"u8, frame.Payload);
            frames.Complete();
        }
    }

    [Theory]
    [InlineData(10, 11 + PageLayout.RingSize)]
    [InlineData(10, 9)]
    [InlineData(0, PageLayout.RingSize + 1)]
    [InlineData(0, ulong.MaxValue)]
    public void A_page_that_contradicts_what_was_taken_gives_nothing(ulong taken, ulong committed)
    {
        using var page = new PageMemory();
        page.Field(PageLayout.UpSent) = taken;
        Assert.Equal((int)taken, page.Host.Take(new byte[100], out _));
        page.Field(PageLayout.UpCommitted) = committed;
        using var frames = new FrameReader(FrameRoute.DataUp);
        Assert.Equal(SalvageOutcome.Hostile, page.Host.Salvage(frames));
        Assert.Equal(0, frames.Unread);
    }

    [Fact]
    public void Any_bytes_in_a_page_give_at_most_a_buffer_and_no_fault_but_the_protocols()
    {
        var random = new Random(5);
        using var page = new PageMemory();
        for (var i = 0; i < 2_000; i++)
        {
            random.NextBytes(page.Bytes[..(PageLayout.UpBuffer + 64)]);
            var host = PageAccess.OpenHostPage(page.Address);
            if (i % 2 == 0)
            {
                page.Field(PageLayout.UpSent) = (ulong)random.Next(100);
                page.Field(PageLayout.UpCommitted) = (ulong)random.Next(200);
                page.Field(PageLayout.DownTaken) = 0;
            }

            using var frames = new FrameReader(FrameRoute.DataUp, 1000);
            Assert.InRange(Do(() => host.Take(new byte[150], out _)), 0, 150);
            host.Salvage(frames);
            Assert.InRange(frames.Unread, 0, PageLayout.RingSize);
            Assert.InRange(Do(() => host.Send(new byte[150], out _)), 0, 150);
            Assert.InRange(Do(() => host.Send(new byte[PageLayout.RingSize], out _)), 0, PageLayout.RingSize);
            try
            {
                while (frames.TryRead(out _))
                {
                }
            }
            catch (FrameException)
            {
            }

            Assert.InRange(host.StartedThrough(10, 20), 10ul, 20ul);
        }
    }

    // 0 where the page is not believed.
    private static int Do(Func<int> touch)
    {
        try
        {
            return touch();
        }
        catch (FrameException fault)
        {
            Assert.Equal(FrameFault.ImpossiblePage, fault.Fault);
            return 0;
        }
    }

    // False when the script ended before the worker could die.
    private static bool DiesAfter(int steps, int[] script, int mostTaken, int callsPerFlush)
    {
        using var page = new PageMemory();
        using var frames = new FrameReader(FrameRoute.DataUp);
        var host = page.Host;
        var worker = new DyingWorker(page.Address, steps, () => Take(host, frames, mostTaken));
        var died = false;
        try
        {
            worker.Run(script, callsPerFlush);
        }
        catch (DeathException)
        {
            died = true;
        }

        // 1. What it sent, to its end, then what it did not send.
        while (Take(host, frames, mostTaken))
        {
        }

        Assert.NotEqual(SalvageOutcome.Hostile, host.Salvage(frames));

        // 2. Every result that was finished, in order, whole, once.
        var ended = 0;
        while (frames.TryRead(out var frame))
        {
            Assert.Equal((FrameType.Result, (ulong)++ended), (frame.Type, frame.CallId));
            Assert.True(frame.Payload.SequenceEqual(Payload(ended, script[ended - 1])));
        }

        Assert.InRange(ended, worker.Finished, worker.Finished + 1);

        // 3. Of the rest exactly the one that ran, if one did.
        var started = (int)host.StartedThrough((ulong)ended, (ulong)script.Length);
        Assert.InRange(started - ended, 0, 1);
        Assert.InRange(worker.Ran, 0, started);
        if (!died)
        {
            Assert.Equal(script.Length, ended);
        }

        return died;
    }

    private static bool Take(HostPage<PageAccess> host, FrameReader frames, int most)
    {
        var space = frames.GetSpan();
        var taken = host.Take(space[..Math.Min(space.Length, most)], out _);
        frames.Advance(taken);
        return taken > 0;
    }

    private static byte[] Payload(int call, int length)
    {
        // Made once for each: there are many places to die in.
        lock (Made)
        {
            if (!Made.TryGetValue((call, length), out var payload))
            {
                payload = new byte[length];
                new Random(call).NextBytes(payload);
                Made.Add((call, length), payload);
            }

            return payload;
        }
    }

    /// <summary>Does what a worker does, and ends after so many steps: of memory, of running.</summary>
    private sealed class DyingWorker
    {
        private readonly WorkerPage<SteppedAccess> _page;
        private readonly RingWriter<SteppedAccess> _up;
        private readonly Func<bool> _hostTakes;
        private int _left;

        public DyingWorker(nint address, int steps, Func<bool> hostTakes)
        {
            _left = steps;
            _hostTakes = hostTakes;
            var access = new SteppedAccess(Step);
            _page = new WorkerPage<SteppedAccess>(address, access);
            _up = new RingWriter<SteppedAccess>(address, PageLayout.Up, access);
        }

        /// <summary>Calls whose code ran.</summary>
        public int Ran { get; private set; }

        /// <summary>Calls whose ending is committed.</summary>
        public int Finished { get; private set; }

        public void Run(int[] script, int callsPerFlush)
        {
            for (var call = 1; call <= script.Length; call++)
            {
                Assert.True(_page.TryStart((ulong)call));
                _page.NoteStart((ulong)call, 1);
                Step();
                Ran = call;
                var payload = Payload(call, script[call - 1]);
                var header = new FrameHeader(FrameType.Result, FrameFlags.None, (ulong)call, payload.Length);
                if (!_up.TryAdd(header, payload))
                {
                    var head = new byte[FrameHeader.Size];
                    header.Write(head);
                    AddInPieces(head);
                    AddInPieces(payload);
                }

                Finished = call;
                _page.End(1);
                if (call % callsPerFlush == 0)
                {
                    _up.Send();
                    _hostTakes();
                }
            }

            _up.Send();
        }

        private void AddInPieces(ReadOnlySpan<byte> bytes)
        {
            while (!bytes.IsEmpty)
            {
                bytes = bytes[_up.Add(bytes)..];
                if (!bytes.IsEmpty)
                {
                    // Slow hosts take little at a time, and never nothing for ever.
                    _up.Send();
                    while (_hostTakes() && _up.GetRoom() < PageLayout.RingSize / 3)
                    {
                    }
                }
            }
        }

        private void Step()
        {
            if (_left-- == 0)
            {
                throw new DeathException();
            }
        }
    }
}
