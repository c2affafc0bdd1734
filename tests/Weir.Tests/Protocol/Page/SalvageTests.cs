using Weir.Protocol;

namespace Weir.Tests.Protocol;

/// <summary>
/// A worker that dies after any of its steps: what it finished is delivered once, the call it ran is the one that is lost, the
/// others were never begun.
/// </summary>
public sealed class SalvageTests
{
    // Results in one piece, such as do not fit behind others, such as fill the buffer exactly, such as never fit.
    private static readonly int[][] Scripts =
    [
        [0, 1, 100],
        [40_000, 30_000, 10],
        [PageLayout.BufferSize - FrameHeader.Size, 5, 0],
        [5, PageLayout.BufferSize - FrameHeader.Size + 1, 7],
        [200_000, 3, 100_000, 100_000, 1],
    ];

    [Theory]
    [InlineData(int.MaxValue, 1)]
    [InlineData(int.MaxValue, 3)]
    [InlineData(7_000, 2)]
    [InlineData(40_001, 1)]
    public void Wherever_a_worker_dies_nothing_is_lost_or_doubled_and_only_the_running_call_is_in_doubt(int mostPerSend, int callsPerFlush)
    {
        foreach (var script in Scripts)
        {
            var step = 0;
            while (DiesAfter(step++, script, mostPerSend, callsPerFlush))
            {
            }

            Assert.True(step > 20, $"Only {step} places to die in were found.");
        }
    }

    [Fact]
    public void A_frame_cut_between_channel_and_page_is_whole_again()
    {
        using var page = new PageMemory();
        var buffer = new OutboundBuffer<PageAccess>(page.Address);
        Assert.True(buffer.TryAdd(new FrameHeader(FrameType.Result, FrameFlags.Raw, 1, 5), "hello"u8));
        for (var cut = 0; cut < FrameHeader.Size + 5; cut++)
        {
            using var frames = new FrameReader(FrameRoute.DataUp);
            frames.Append(buffer.Unsent[..cut]);
            Assert.False(frames.TryRead(out _));
            Assert.Equal(SalvageOutcome.Taken, page.Host.Salvage((ulong)cut, frames));
            Assert.True(frames.TryRead(out var frame));
            Assert.Equal("hello"u8, frame.Payload);
            frames.Complete();
        }
    }

    [Theory]
    [InlineData(10, 5, 10 + PageLayout.BufferSize + 1)]
    [InlineData(10, 9, 20)]
    [InlineData(0, 3, PageLayout.BufferSize + 1)]
    [InlineData(ulong.MaxValue, 3, 100)]
    [InlineData(0, 3, ulong.MaxValue)]
    public void A_page_that_contradicts_itself_or_the_channel_gives_nothing(ulong start, ulong received, ulong committed)
    {
        using var page = new PageMemory();
        page.Field(PageLayout.Base) = start;
        page.Field(PageLayout.Committed) = committed;
        using var frames = new FrameReader(FrameRoute.DataUp);
        Assert.Equal(SalvageOutcome.Hostile, page.Host.Salvage(received, frames));
        Assert.Equal(0, frames.Unread);
    }

    [Fact]
    public void Any_bytes_in_a_page_give_at_most_a_buffer_and_no_fault_but_the_protocols()
    {
        var random = new Random(5);
        using var page = new PageMemory();
        for (var i = 0; i < 2_000; i++)
        {
            random.NextBytes(page.Bytes[..(PageLayout.Buffer + 64)]);
            if (i % 2 == 0)
            {
                page.Field(PageLayout.Base) = (ulong)random.Next(100);
                page.Field(PageLayout.Committed) = (ulong)random.Next(200);
            }

            var host = page.Host;
            using var frames = new FrameReader(FrameRoute.DataUp, 1000);
            host.Salvage((ulong)random.Next(150), frames);
            Assert.InRange(frames.Unread, 0, PageLayout.BufferSize);
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
            Assert.True(Enum.IsDefined(host.ReadSlot(random.Next(PageLayout.MostSlots)).Phase));
        }
    }

    // False when the script ended before the worker could die.
    private static bool DiesAfter(int steps, int[] script, int mostPerSend, int callsPerFlush)
    {
        using var page = new PageMemory();
        var worker = new DyingWorker(page.Address, steps, mostPerSend);
        var died = false;
        try
        {
            worker.Run(script, callsPerFlush);
        }
        catch (DeathException)
        {
            died = true;
        }

        // 1. The channel to its end, then what it did not deliver.
        using var frames = new FrameReader(FrameRoute.DataUp);
        var host = page.Host;
        frames.Append([.. worker.Received]);
        Assert.NotEqual(SalvageOutcome.Hostile, host.Salvage((ulong)worker.Received.Count, frames));

        // 2. Every result that was finished, in order, whole, once.
        var ended = 0;
        while (frames.TryRead(out var frame))
        {
            Assert.Equal((FrameType.Result, (ulong)++ended), (frame.Type, frame.CallId));
            Assert.Equal(Payload(ended, script[ended - 1]), frame.Payload);
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

    private static byte[] Payload(int call, int length)
    {
        var payload = new byte[length];
        new Random(call).NextBytes(payload);
        return payload;
    }

    /// <summary>Does what a worker does, and ends after so many steps: of memory, of sending, of running.</summary>
    private sealed class DyingWorker
    {
        private readonly WorkerPage<SteppedAccess> _page;
        private readonly OutboundBuffer<SteppedAccess> _buffer;
        private readonly int _mostPerSend;
        private int _left;

        public DyingWorker(nint address, int steps, int mostPerSend)
        {
            _left = steps;
            _mostPerSend = mostPerSend;
            var access = new SteppedAccess(Step);
            _page = new WorkerPage<SteppedAccess>(address, access);
            _buffer = new OutboundBuffer<SteppedAccess>(address, access);
        }

        /// <summary>What the channel has delivered.</summary>
        public List<byte> Received { get; } = [];

        /// <summary>Calls whose code ran.</summary>
        public int Ran { get; private set; }

        /// <summary>Calls whose ending is committed, or sent to its last byte.</summary>
        public int Finished { get; private set; }

        public void Run(int[] script, int callsPerFlush)
        {
            for (var call = 1; call <= script.Length; call++)
            {
                Assert.True(_page.TryStart((ulong)call));
                _page.Begin(0, (ulong)call, 1);
                Step();
                Ran = call;
                var payload = Payload(call, script[call - 1]);
                var header = new FrameHeader(FrameType.Result, FrameFlags.None, (ulong)call, payload.Length);
                if (!_buffer.TryAdd(header, payload))
                {
                    Flush();
                    if (!_buffer.TryAdd(header, payload))
                    {
                        SendAround(header, payload);
                    }
                }

                Finished = call;
                _page.End(0, 1);
                if (call % callsPerFlush == 0)
                {
                    Flush();
                }
            }

            Flush();
        }

        private void Flush()
        {
            while (_buffer.Unsent.Length > 0)
            {
                _buffer.Sent(Send(_buffer.Unsent));
            }
        }

        private void SendAround(FrameHeader header, byte[] payload)
        {
            var frame = new byte[FrameHeader.Size + payload.Length];
            header.Write(frame);
            payload.CopyTo(frame, FrameHeader.Size);
            for (var sent = 0; sent < frame.Length;)
            {
                sent += Send(frame.AsSpan(sent));
            }

            _buffer.SentAround(frame.Length);
        }

        private int Send(ReadOnlySpan<byte> bytes)
        {
            Step();
            var taken = bytes[..Math.Min(bytes.Length, _mostPerSend)];
            Received.AddRange(taken);
            Step();
            return taken.Length;
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
