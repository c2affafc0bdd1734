using Weir.Protocol.Frames;
using Weir.Protocol.SharedMemory;

namespace Weir.Tests.Protocol;

/// <summary>The rings of shared memory: each is a stream of bytes in any pieces, and no side sleeps while bytes or space wait for it.</summary>
public sealed class RingTests
{
    [Fact]
    public void Bytes_written_in_any_pieces_are_read_unchanged()
    {
        var random = new Random(7);
        using var region = new AllocatedRegion();
        var (up, _) = SharedMemoryAccess.OpenWorkerRings(region.Address);
        var (added, taken) = (0L, 0L);
        var bytes = new byte[3 * SharedMemoryLayout.RingSize / 2];
        while (taken < 8L * SharedMemoryLayout.RingSize)
        {
            // 1. Bytes are added, sometimes more than the size of the ring.
            var piece = bytes.AsSpan(0, random.Next(random.Next(4) == 0 ? bytes.Length : 50_000));
            for (var i = 0; i < piece.Length; i++)
            {
                piece[i] = ByteAt(added + i);
            }

            added += up.Add(piece);
            up.Send();

            // 2. Bytes are taken.
            var space = new byte[random.Next(1, 80_000)];
            var count = region.Host.Take(space, out _);
            Assert.True(space.AsSpan(0, count).SequenceEqual(Enumerable.Range(0, count).Select(i => ByteAt(taken + i)).ToArray()), $"After {taken} bytes.");
            taken += count;
            Assert.InRange(added - taken, 0, SharedMemoryLayout.RingSize);
        }
    }

    [Fact]
    public void A_ring_that_is_read_at_once_uses_only_its_beginning()
    {
        using var region = new AllocatedRegion();
        var (up, _) = SharedMemoryAccess.OpenWorkerRings(region.Address);
        var space = new byte[1000];
        for (var i = 0; i < 5_000; i++)
        {
            Assert.Equal(1000, up.Add(Enumerable.Repeat((byte)1, 1000).ToArray()));
            up.Send();
            Assert.Equal(1000, region.Host.Take(space, out _));
        }

        Assert.Equal(-1, region.Bytes.Slice(SharedMemoryLayout.UpBuffer + 20_000, SharedMemoryLayout.RingSize - 20_000).IndexOfAnyExcept((byte)0));
    }

    [Fact]
    public void Added_bytes_are_visible_to_the_host_when_they_are_sent_and_frames_are_added_whole_or_not_at_all()
    {
        using var region = new AllocatedRegion();
        var (up, _) = SharedMemoryAccess.OpenWorkerRings(region.Address);
        var space = new byte[100];
        Assert.True(up.TryAdd(new FrameHeader(FrameType.Result, FrameFlags.Raw, 1, 3), "one"u8));
        Assert.Equal(0, region.Host.Take(space, out _));
        Assert.Equal(19, up.Unsent);
        Assert.True(up.Send());
        Assert.False(up.Send());
        Assert.Equal(0, up.Unsent);
        Assert.Equal(19, region.Host.Take(space, out _));
        Assert.False(up.TryAdd(new FrameHeader(FrameType.Result, FrameFlags.Raw, 2, SharedMemoryLayout.RingSize), new byte[SharedMemoryLayout.RingSize]));
        Assert.False(up.Send());
        Assert.Equal(SharedMemoryLayout.RingSize, up.GetSpace());
        Assert.Equal(SharedMemoryLayout.RingSize, up.Add(new byte[SharedMemoryLayout.RingSize + 1]));
        Assert.Equal(0, up.GetSpace());
        Assert.Equal(0, up.Add("more"u8));
    }

    [Fact]
    public void In_every_order_a_worker_that_sleeps_although_bytes_were_sent_is_woken()
    {
        var slept = new HashSet<bool>();
        var orders = Interleavings.Explore((hostStep, workerStep) =>
        {
            var region = new AllocatedRegion();
            var host = new HostSharedMemory<SteppedAccess>(region.Address, new SteppedAccess(hostStep));
            var down = new RingReader<SteppedAccess>(region.Address, SharedMemoryLayout.Down, new SteppedAccess(workerStep));
            var (wakes, taken, isAsleep) = (0, 0, false);
            return (
                () =>
                {
                    hostStep();
                    host.Send("x"u8, out var isWoken);
                    wakes += isWoken ? 1 : 0;
                },
                () =>
                {
                    workerStep();
                    taken = down.Take(new byte[1], out _);
                    isAsleep = taken == 0 && down.TrySleep();
                },
                () =>
                {
                    CheckWoken(taken, isAsleep, wakes, slept);
                    region.Dispose();
                }
            );
        });
        Assert.True(orders > 50, $"Only {orders} orders were tried.");
        Assert.Equal(2, slept.Count);
    }

    [Fact]
    public void In_every_order_a_host_that_sleeps_although_bytes_were_sent_is_woken()
    {
        var slept = new HashSet<bool>();
        var orders = Interleavings.Explore((hostStep, workerStep) =>
        {
            var region = new AllocatedRegion();
            var host = new HostSharedMemory<SteppedAccess>(region.Address, new SteppedAccess(hostStep));
            new WaitWord<SharedMemoryAccess>(region.Address, SharedMemoryLayout.HostSleeps).TryLower();
            var up = new RingWriter<SteppedAccess>(region.Address, SharedMemoryLayout.Up, new SteppedAccess(workerStep));
            var (wakes, taken, isAsleep) = (0, 0, false);
            return (
                () =>
                {
                    hostStep();
                    taken = host.Take(new byte[1], out _);
                    isAsleep = taken == 0 && host.TrySleep();
                },
                () =>
                {
                    workerStep();
                    up.Add("x"u8);
                    up.Send();
                    wakes += up.TryWake() ? 1 : 0;
                },
                () =>
                {
                    CheckWoken(taken, isAsleep, wakes, slept);
                    region.Dispose();
                }
            );
        });
        Assert.True(orders > 50, $"Only {orders} orders were tried.");
        Assert.Equal(2, slept.Count);
    }

    [Fact]
    public void In_every_order_a_side_that_waits_for_space_is_notified()
    {
        var waited = new HashSet<bool>();
        var orders = Interleavings.Explore((hostStep, workerStep) =>
        {
            var region = new AllocatedRegion();
            var isPrepared = false;
            var host = new HostSharedMemory<SteppedAccess>(region.Address, new SteppedAccess(() =>
            {
                if (isPrepared)
                {
                    hostStep();
                }
            }));
            host.Send(new byte[SharedMemoryLayout.RingSize], out _);
            Assert.Equal(0, host.Send(new byte[1], out _));
            isPrepared = true;
            var down = new RingReader<SteppedAccess>(region.Address, SharedMemoryLayout.Down, new SteppedAccess(workerStep));
            var (wakes, waits) = (0, false);
            return (
                () =>
                {
                    hostStep();
                    waits = host.TryWaitForSpace();
                },
                () =>
                {
                    workerStep();
                    down.Take(new byte[10], out var isSpaceWanted);
                    wakes += isSpaceWanted ? 1 : 0;
                },
                () =>
                {
                    Assert.True(!waits || wakes == 1, "It waits although there is space.");
                    waited.Add(waits);
                    region.Dispose();
                }
            );
        });
        Assert.True(orders > 20, $"Only {orders} orders were tried.");
        Assert.Equal(2, waited.Count);
    }

    private static void CheckWoken(int taken, bool isAsleep, int wakes, HashSet<bool> slept)
    {
        Assert.True(taken == 1 || !isAsleep || wakes == 1, "It sleeps although there is a byte.");
        slept.Add(isAsleep);
    }

    private static byte ByteAt(long position) => (byte)((position * 31) ^ (position >> 9));
}
