using Weir.Protocol.Frames;
using Weir.Protocol.Page;

namespace Weir.Tests.Protocol;

/// <summary>The rings of a page: a stream of bytes each, whatever its pieces, and nobody sleeps beside what waits for it.</summary>
public sealed class RingTests
{
    [Fact]
    public void Bytes_of_any_pieces_come_out_as_they_went_in()
    {
        var random = new Random(7);
        using var page = new PageMemory();
        var (up, _) = PageAccess.OpenWorkerRings(page.Address);
        var (added, taken) = (0L, 0L);
        var bytes = new byte[3 * PageLayout.RingSize / 2];
        while (taken < 8L * PageLayout.RingSize)
        {
            // 1. Some in, by a size now and then beyond the ring.
            var piece = bytes.AsSpan(0, random.Next(random.Next(4) == 0 ? bytes.Length : 50_000));
            for (var i = 0; i < piece.Length; i++)
            {
                piece[i] = ByteAt(added + i);
            }

            added += up.Add(piece);
            up.Send();

            // 2. Some out.
            var space = new byte[random.Next(1, 80_000)];
            var count = page.Host.Take(space, out _);
            Assert.True(space.AsSpan(0, count).SequenceEqual(Enumerable.Range(0, count).Select(i => ByteAt(taken + i)).ToArray()), $"After {taken} bytes.");
            taken += count;
            Assert.InRange(added - taken, 0, PageLayout.RingSize);
        }
    }

    [Fact]
    public void A_ring_that_is_followed_closely_touches_only_its_beginning()
    {
        using var page = new PageMemory();
        var (up, _) = PageAccess.OpenWorkerRings(page.Address);
        var space = new byte[1000];
        for (var i = 0; i < 5_000; i++)
        {
            Assert.Equal(1000, up.Add(Enumerable.Repeat((byte)1, 1000).ToArray()));
            up.Send();
            Assert.Equal(1000, page.Host.Take(space, out _));
        }

        Assert.Equal(-1, page.Bytes.Slice(PageLayout.UpBuffer + 20_000, PageLayout.RingSize - 20_000).IndexOfAnyExcept((byte)0));
    }

    [Fact]
    public void What_is_added_is_the_hosts_when_it_is_sent_and_frames_are_added_whole_or_not_at_all()
    {
        using var page = new PageMemory();
        var (up, _) = PageAccess.OpenWorkerRings(page.Address);
        var space = new byte[100];
        Assert.True(up.TryAdd(new FrameHeader(FrameType.Result, FrameFlags.Raw, 1, 3), "one"u8));
        Assert.Equal(0, page.Host.Take(space, out _));
        Assert.Equal(19, up.Unsent);
        Assert.True(up.Send());
        Assert.False(up.Send());
        Assert.Equal(0, up.Unsent);
        Assert.Equal(19, page.Host.Take(space, out _));
        Assert.False(up.TryAdd(new FrameHeader(FrameType.Result, FrameFlags.Raw, 2, PageLayout.RingSize), new byte[PageLayout.RingSize]));
        Assert.False(up.Send());
        Assert.Equal(PageLayout.RingSize, up.GetRoom());
        Assert.Equal(PageLayout.RingSize, up.Add(new byte[PageLayout.RingSize + 1]));
        Assert.Equal(0, up.GetRoom());
        Assert.Equal(0, up.Add("more"u8));
    }

    [Fact]
    public void In_every_order_a_worker_that_sleeps_beside_what_was_sent_is_woken()
    {
        var slept = new HashSet<bool>();
        var orders = Interleavings.Explore((hostStep, workerStep) =>
        {
            var page = new PageMemory();
            var host = new HostPage<SteppedAccess>(page.Address, new SteppedAccess(hostStep));
            var down = new RingReader<SteppedAccess>(page.Address, PageLayout.Down, new SteppedAccess(workerStep));
            var sleeps = new WaitWord<SteppedAccess>(page.Address, PageLayout.WorkerSleeps, new SteppedAccess(workerStep));
            var (bells, taken, isAsleep) = (0, 0, false);
            return (
                () =>
                {
                    hostStep();
                    host.Send("x"u8, out var isWoken);
                    bells += isWoken ? 1 : 0;
                },
                () =>
                {
                    workerStep();
                    taken = down.Take(new byte[1]);
                    if (taken == 0)
                    {
                        sleeps.Raise();
                        isAsleep = down.IsEmpty;
                    }
                },
                () =>
                {
                    CheckWoken(taken, isAsleep, bells, slept);
                    page.Dispose();
                }
            );
        });
        Assert.True(orders > 50, $"Only {orders} orders were tried.");
        Assert.Equal(2, slept.Count);
    }

    [Fact]
    public void In_every_order_a_host_that_sleeps_beside_what_was_sent_is_woken()
    {
        var slept = new HashSet<bool>();
        var orders = Interleavings.Explore((hostStep, workerStep) =>
        {
            var page = new PageMemory();
            var host = new HostPage<SteppedAccess>(page.Address, new SteppedAccess(hostStep));
            PageAccess.OpenWaitWord(page.Address, PageLayout.HostSleeps).TryLower();
            var up = new RingWriter<SteppedAccess>(page.Address, PageLayout.Up, new SteppedAccess(workerStep));
            var sleeps = new WaitWord<SteppedAccess>(page.Address, PageLayout.HostSleeps, new SteppedAccess(workerStep));
            var (bells, taken, isAsleep) = (0, 0, false);
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
                    bells += sleeps.TryLower() ? 1 : 0;
                },
                () =>
                {
                    CheckWoken(taken, isAsleep, bells, slept);
                    page.Dispose();
                }
            );
        });
        Assert.True(orders > 50, $"Only {orders} orders were tried.");
        Assert.Equal(2, slept.Count);
    }

    [Fact]
    public void In_every_order_whoever_waits_for_room_is_told_of_it()
    {
        var waited = new HashSet<bool>();
        var orders = Interleavings.Explore((hostStep, workerStep) =>
        {
            var page = new PageMemory();
            var isPrepared = false;
            var host = new HostPage<SteppedAccess>(page.Address, new SteppedAccess(() =>
            {
                if (isPrepared)
                {
                    hostStep();
                }
            }));
            host.Send(new byte[PageLayout.RingSize], out _);
            Assert.Equal(0, host.Send(new byte[1], out _));
            isPrepared = true;
            var down = new RingReader<SteppedAccess>(page.Address, PageLayout.Down, new SteppedAccess(workerStep));
            var wanted = new WaitWord<SteppedAccess>(page.Address, PageLayout.HostWantsRoom, new SteppedAccess(workerStep));
            var (bells, waits) = (0, false);
            return (
                () =>
                {
                    hostStep();
                    waits = host.TryWaitForRoom();
                },
                () =>
                {
                    workerStep();
                    down.Take(new byte[10]);
                    bells += wanted.TryLower() ? 1 : 0;
                },
                () =>
                {
                    Assert.True(!waits || bells == 1, "It waits beside room.");
                    waited.Add(waits);
                    page.Dispose();
                }
            );
        });
        Assert.True(orders > 20, $"Only {orders} orders were tried.");
        Assert.Equal(2, waited.Count);
    }

    private static void CheckWoken(int taken, bool isAsleep, int bells, HashSet<bool> slept)
    {
        Assert.True(taken == 1 || !isAsleep || bells == 1, "It sleeps beside a byte.");
        slept.Add(isAsleep);
    }

    private static byte ByteAt(long position) => (byte)((position * 31) ^ (position >> 9));
}
