using Weir.Protocol.Frames;
using Weir.Protocol.SharedMemory;

namespace Weir.Tests.Protocol;

/// <summary>
/// A worker that fails after any of its steps: the results that it finished are delivered once, only the running call is lost, the
/// others were never started.
/// </summary>
public sealed class SalvageTests
{
    // Results in one piece, results after which the next one starts at the beginning of the ring, results that do not fit after others,
    // results that fill the ring exactly, and results that never fit.
    private static readonly int[][] Scripts =
    [
        [0, 1, 100],
        [20_000, 30_000, 10],
        [SharedMemoryLayout.RingSize / 2, SharedMemoryLayout.RingSize / 2, 10],
        [SharedMemoryLayout.RingSize - FrameHeader.Size, 5, 0],
        [5, SharedMemoryLayout.RingSize - FrameHeader.Size + 1, 7],
        [(2 * SharedMemoryLayout.RingSize) + 100, 3, SharedMemoryLayout.RingSize, 1],
    ];

    private static readonly Dictionary<(int Call, int Length), byte[]> Made = [];

    [Theory]
    [InlineData(int.MaxValue, 1)]
    [InlineData(int.MaxValue, 3)]
    [InlineData(300_000, 2)]
    [InlineData(100_000, 1)]
    public void At_whichever_step_a_worker_fails_no_result_is_lost_or_duplicated_and_only_the_running_call_is_in_doubt(int mostTaken, int callsPerFlush)
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
    public void A_frame_that_was_sent_in_part_is_restored()
    {
        for (var cut = 0; cut <= FrameHeader.Size + 5; cut++)
        {
            using var region = new AllocatedRegion();
            var (up, _) = SharedMemoryAccess.OpenWorkerRings(region.Address);
            Assert.True(up.TryAdd(new FrameHeader(FrameType.Result, FrameFlags.Raw, 1, 5), "hello"u8));
            region.Field(SharedMemoryLayout.UpSent) = (ulong)cut;
            using var frames = new FrameReader(FrameRoute.DataUp);
            var taken = region.Host.Take(frames.GetSpan(), out _);
            Assert.Equal(cut, taken);
            frames.Advance(taken);
            Assert.Equal(cut == FrameHeader.Size + 5 ? SalvageOutcome.Nothing : SalvageOutcome.Taken, region.Host.Salvage(frames));
            Assert.True(frames.TryRead(out var frame));
            Assert.Equal("hello"u8, frame.Payload);
            frames.Complete();
        }
    }

    [Theory]
    [InlineData(10, 11 + SharedMemoryLayout.RingSize)]
    [InlineData(10, 9)]
    [InlineData(0, SharedMemoryLayout.RingSize + 1)]
    [InlineData(0, ulong.MaxValue)]
    public void Shared_memory_that_contradicts_the_taken_bytes_gives_nothing(ulong taken, ulong committed)
    {
        using var region = new AllocatedRegion();
        region.Field(SharedMemoryLayout.UpSent) = taken;
        Assert.Equal((int)taken, region.Host.Take(new byte[100], out _));
        region.Field(SharedMemoryLayout.UpCommitted) = committed;
        using var frames = new FrameReader(FrameRoute.DataUp);
        Assert.Equal(SalvageOutcome.Hostile, region.Host.Salvage(frames));
        Assert.Equal(0, frames.Unread);
    }

    [Fact]
    public void Any_bytes_in_shared_memory_give_at_most_a_buffer_and_no_error_but_the_protocols()
    {
        var random = new Random(5);
        using var region = new AllocatedRegion();
        for (var i = 0; i < 2_000; i++)
        {
            random.NextBytes(region.Bytes[..(SharedMemoryLayout.UpBuffer + 64)]);
            var host = SharedMemoryAccess.OpenHost(region.Address);
            if (i % 2 == 0)
            {
                region.Field(SharedMemoryLayout.UpSent) = (ulong)random.Next(100);
                region.Field(SharedMemoryLayout.UpCommitted) = (ulong)random.Next(200);
                region.Field(SharedMemoryLayout.DownTaken) = 0;
            }

            using var frames = new FrameReader(FrameRoute.DataUp, 1000);
            Assert.InRange(Do(() => host.Take(new byte[150], out _)), 0, 150);
            host.Salvage(frames);
            Assert.InRange(frames.Unread, 0, SharedMemoryLayout.RingSize);
            Assert.InRange(Do(() => host.Send(new byte[150], out _)), 0, 150);
            Assert.InRange(Do(() => host.Send(new byte[SharedMemoryLayout.RingSize], out _)), 0, SharedMemoryLayout.RingSize);
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

    // 0 if the content of the shared memory is rejected.
    private static int Do(Func<int> touch)
    {
        try
        {
            return touch();
        }
        catch (FrameException violation)
        {
            Assert.Equal(FrameError.ImpossibleSharedMemory, violation.Error);
            return 0;
        }
    }

    // False when the script ended before the worker could fail.
    private static bool DiesAfter(int steps, int[] script, int mostTaken, int callsPerFlush)
    {
        using var region = new AllocatedRegion();
        using var frames = new FrameReader(FrameRoute.DataUp);
        var host = region.Host;
        var worker = new DyingWorker(region.Address, steps, () => Take(host, frames, mostTaken));
        var died = false;
        try
        {
            worker.Run(script, callsPerFlush);
        }
        catch (DeathException)
        {
            died = true;
        }

        // 1. All bytes that it sent, then those that it did not send.
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

        // 3. Of the other calls exactly the one that was running, if there was one.
        var started = (int)host.StartedThrough((ulong)ended, (ulong)script.Length);
        Assert.InRange(started - ended, 0, 1);
        Assert.InRange(worker.Ran, 0, started);
        if (!died)
        {
            Assert.Equal(script.Length, ended);
        }

        return died;
    }

    private static bool Take(HostSharedMemory<SharedMemoryAccess> host, FrameReader frames, int most)
    {
        var space = frames.GetSpan();
        var taken = host.Take(space[..Math.Min(space.Length, most)], out _);
        frames.Advance(taken);
        return taken > 0;
    }

    private static byte[] Payload(int call, int length)
    {
        // Created once for each length: there are many steps at which a worker can fail.
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

    /// <summary>Does what a worker does, and ends after a number of steps: accesses to memory or runs of calls.</summary>
    private sealed class DyingWorker
    {
        private readonly WorkerSharedMemory<SteppedAccess> _region;
        private readonly RingWriter<SteppedAccess> _up;
        private readonly Func<bool> _hostTakes;
        private int _left;

        public DyingWorker(nint address, int steps, Func<bool> hostTakes)
        {
            _left = steps;
            _hostTakes = hostTakes;
            var access = new SteppedAccess(Step);
            _region = new WorkerSharedMemory<SteppedAccess>(address, access);
            _up = new RingWriter<SteppedAccess>(address, SharedMemoryLayout.Up, access);
        }

        /// <summary>Calls whose operation ran.</summary>
        public int Ran { get; private set; }

        /// <summary>Calls whose outcome is committed.</summary>
        public int Finished { get; private set; }

        public void Run(int[] script, int callsPerFlush)
        {
            for (var call = 1; call <= script.Length; call++)
            {
                Assert.True(_region.TryStart((ulong)call));
                _region.NoteStart((ulong)call, 1);
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
                _region.End(1);
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
                    // Slow hosts take little at a time, but always take something again.
                    _up.Send();
                    while (_hostTakes() && _up.GetSpace() < SharedMemoryLayout.RingSize / 3)
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
