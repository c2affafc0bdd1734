using Weir.Protocol.Frames;
using Weir.Protocol.SharedMemory;
using Weir.Tests.Protocol;

namespace Weir.Tests.Properties;

/// <summary>A ring is a stream, in whatever order and sizes its two sides use it.</summary>
public sealed class RingLawTests
{
    // Not a divisor of the ring's size: a byte in another place has another value.
    private const int Period = 65_537;

    private static readonly byte[] Pattern = [.. Enumerable.Range(0, Period + (2 * SharedMemoryLayout.RingSize)).Select(static i => (byte)((i % Period * 31) ^ (i % Period >> 8)))];

    [Fact]
    public void Any_order_of_adding_sending_and_taking_keeps_the_bytes_and_their_order_in_the_ring_up() =>
        Law.Holds<Step[]>(
            static steps =>
            {
                using var region = new AllocatedRegion();
                var (up, _) = SharedMemoryAccess.OpenWorkerRings(region.Address);
                long added = 0, sent = 0, taken = 0;
                foreach (var step in steps)
                {
                    switch (step.What)
                    {
                        case What.Add:
                            var count = up.Add(Bytes(added, step.Length));
                            Assert.Equal(Math.Min(step.Length, SharedMemoryLayout.RingSize - (added - taken)), count);
                            added += count;
                            break;
                        case What.Send:
                            Assert.Equal(sent < added, up.Send());
                            sent = added;
                            break;
                        default:
                            taken += Take(space => region.Host.Take(space, out _), step.Length, taken, sent);
                            break;
                    }

                    Assert.Equal(added - sent, up.Unsent);
                }

                // After the writer has exited, all its bytes can be taken.
                using var frames = new FrameReader(FrameRoute.DataUp);
                Assert.Equal(added > taken ? SalvageOutcome.Taken : SalvageOutcome.Nothing, region.Host.Salvage(frames));
                Assert.Equal(added - taken, frames.Unread);
            },
            values: 600);

    [Fact]
    public void Any_order_of_sending_and_taking_keeps_the_bytes_and_their_order_in_the_ring_down() =>
        Law.Holds<Step[]>(
            static steps =>
            {
                using var region = new AllocatedRegion();
                var (_, down) = SharedMemoryAccess.OpenWorkerRings(region.Address);
                long sent = 0, taken = 0;
                foreach (var step in steps)
                {
                    if (step.What is What.Add or What.Send)
                    {
                        var count = region.Host.Send(Bytes(sent, step.Length), out _);
                        Assert.Equal(Math.Min(step.Length, SharedMemoryLayout.RingSize - (sent - taken)), count);
                        sent += count;
                    }
                    else
                    {
                        taken += Take(space => down.Take(space, out _), step.Length, taken, sent);
                    }

                    Assert.Equal(sent == taken, down.IsEmpty);
                }
            },
            values: 600);

    private static int Take(Taking take, int length, long taken, long sent)
    {
        var space = new byte[length];
        var count = take(space);
        Assert.Equal(Math.Min(length, sent - taken), count);
        Assert.True(space.AsSpan(0, count).SequenceEqual(Bytes(taken, count)), $"Other bytes after {taken}.");
        return count;
    }

    private static ReadOnlySpan<byte> Bytes(long from, int length) => Pattern.AsSpan((int)(from % Period), length);

    private delegate int Taking(Span<byte> space);

    internal enum What
    {
        Add,
        Send,
        Take,
    }

    /// <summary>One step of one side, with a number of bytes: mostly some, sometimes about the size of a ring.</summary>
    internal sealed record Step(What What, FsCheck.DoNotSize<ushort> Some, byte Scale)
    {
        public int Length => Scale % 8 == 0 ? SharedMemoryLayout.RingSize - 8 + (Some.Item % 16) : Scale % 2 == 0 ? Some.Item * 8 : Some.Item % 1000;
    }
}
