using System.Globalization;
using System.Text;
using Weir.AspNetCore.Resuming;

namespace Weir.Tests.AspNetCore;

public sealed class ItemRingTests
{
    private const int Limit = 16 * 1024;

    [Fact]
    public void Items_are_read_as_they_were_added_from_any_index_that_is_kept()
    {
        var ring = new ItemRing(Limit, new ResumeMemory(null));
        for (var i = 0; i < 3000; i++)
        {
            ring.MarkSent(i);
            Assert.True(ring.TryAppend(Item(i), isRead: true));
        }

        Assert.Equal(3000, ring.Next);
        Assert.InRange(ring.First, 1, 2500);
        for (var from = ring.First; from <= ring.Next; from += 7)
        {
            var place = ring.Seek(from);
            for (var i = from; i < ring.Next; i++)
            {
                Assert.True(place.HasItem());
                Assert.Equal(Item(i), place.Take().ToArray());
            }

            Assert.False(place.HasItem());
        }
    }

    [Fact]
    public void Without_a_reader_nothing_is_dropped_whether_it_was_sent_or_not()
    {
        var memory = new ResumeMemory(null);
        var ring = new ItemRing(Limit, memory);
        while (ring.TryAppend(Item(ring.Next), isRead: false))
        {
            ring.MarkSent(ring.Next);
        }

        Assert.Equal((0, ring.Bytes), (ring.First, memory.Used));
        Assert.InRange(ring.Bytes, Limit / 2, Limit);
        Assert.True(ring.TryAppend(Item(ring.Next), isRead: true));
        Assert.True(ring.First > 0);
    }

    [Fact]
    public void What_was_not_sent_uses_a_quarter_so_that_the_rest_keeps_what_was_sent()
    {
        var ring = new ItemRing(Limit, new ResumeMemory(null));
        var length = Item(100_000).Length + sizeof(int);
        for (var round = 0; round < 100; round++)
        {
            while (ring.TryAppend(Item(100_000), isRead: true))
            {
                Assert.InRange(ring.Bytes, 0, Limit);
            }

            var sent = ring.First + ((ring.Next - ring.First) * 3 / 4);
            ring.MarkSent(Math.Max(sent, ring.Next - (Limit / 8 / length)));
        }

        // A reader may go back by more than half of the ring.
        Assert.InRange((ring.Next - ring.First) * length, Limit * 3 / 4, Limit);
        var back = ring.Next - (Limit * 5 / 8 / length);
        ring.Restart(back);
        Assert.False(ring.TryAppend(Item(100_000), isRead: true));
        Assert.InRange(ring.First, 1, back);
    }

    [Fact]
    public void A_place_behind_everything_finds_the_next_item_after_all_others_were_dropped()
    {
        var ring = new ItemRing(Limit, new ResumeMemory(null));
        Assert.True(ring.TryAppend(Item(0), isRead: true));
        var place = ring.Seek(1);
        Assert.False(place.HasItem());
        ring.Restart(1);
        Assert.Equal((1, 1, 0), (ring.First, ring.Next, ring.Bytes));
        Assert.True(ring.TryAppend(Item(1), isRead: true));
        Assert.True(place.HasItem());
        Assert.Equal(Item(1), place.Take().ToArray());
        Assert.False(place.HasItem());
    }

    [Fact]
    public void One_item_is_always_kept_however_large_it_is()
    {
        var memory = new ResumeMemory(100);
        var ring = new ItemRing(Limit, memory);
        var large = new byte[3 * 1024 * 1024];
        Assert.True(ring.TryAppend(large, isRead: false));
        Assert.True(memory.Used > large.Length);
        Assert.False(ring.TryAppend(Item(1), isRead: false));
        Assert.False(ring.TryAppend(Item(1), isRead: true));
        Assert.Equal(large.Length, ring.Seek(0).Take().Length);
        ring.MarkSent(1);
        Assert.False(ring.TryAppend(Item(1), isRead: false));
        Assert.True(ring.TryAppend(Item(1), isRead: true));
        Assert.Equal(1, ring.First);
        Assert.InRange(memory.Used, 1, 2048);
        ring.Clear();
        Assert.Equal((0, 0), (ring.Bytes, memory.Used));
    }

    [Fact]
    public void The_memory_for_all_is_taken_in_small_steps_and_never_exceeded_by_more_than_an_item_each()
    {
        var memory = new ResumeMemory(32 * 1024);
        var rings = Enumerable.Range(0, 10).Select(_ => new ItemRing(Limit, memory)).ToList();
        for (var i = 0; i < 5000; i++)
        {
            foreach (var ring in rings)
            {
                // Each of them always continues, because what it sent is dropped.
                ring.MarkSent(i);
                Assert.True(ring.TryAppend(Item(i), isRead: true));
                Assert.InRange(memory.Used, 0, (32 + rings.Count) * 1024);
            }
        }

        rings.ForEach(static ring => ring.Clear());
        Assert.Equal(0, memory.Used);
    }

    [Fact]
    public void Random_use_agrees_with_a_list()
    {
        for (var seed = 0; seed < 200; seed++)
        {
            var random = new Random(seed);
            var memory = new ResumeMemory(random.Next(2) == 0 ? null : 20_000);
            var ring = new ItemRing(Limit, memory);
            var all = new List<byte[]>();
            var sent = 0L;
            var place = ring.Seek(0);
            for (var step = 0; step < 500; step++)
            {
                switch (random.Next(4))
                {
                    case 0 or 1:
                        var item = new byte[random.Next(20) == 0 ? random.Next(40_000) : random.Next(1, 300)];
                        random.NextBytes(item);
                        if (ring.TryAppend(item, isRead: random.Next(4) > 0))
                        {
                            all.Add(item);
                        }

                        break;
                    case 2:
                        if (place.HasItem())
                        {
                            Assert.Equal(all[(int)sent], place.Take().ToArray());
                            ring.MarkSent(++sent);
                        }

                        break;
                    default:
                        sent = random.NextInt64(ring.First, ring.Next + 1);
                        ring.Restart(sent);
                        place = ring.Seek(sent);
                        break;
                }

                Assert.Equal(all.Count, ring.Next);
                Assert.True(ring.First <= sent);
                Assert.Equal(ring.Bytes, memory.Used);

                // An item of more than the limit is kept alone, in an array of the next power of two.
                Assert.InRange(ring.Bytes, 0, 64 * 1024);
            }
        }
    }

    private static byte[] Item(long index) => Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"\"item {index}\""));
}
