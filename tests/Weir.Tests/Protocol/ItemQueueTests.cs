using System.Text;
using Weir.Protocol.Flow;
using Weir.Protocol.Frames;
using Weir.Runtime;

namespace Weir.Tests.Protocol;

public sealed class ItemQueueTests : IDisposable
{
    private readonly ItemQueue _items = new(isOpen: true);

    public void Dispose() => _items.Dispose();

    [Fact]
    public void Items_are_taken_in_the_order_of_arrival()
    {
        Add("1");
        Add("");
        Add("two", FrameFlags.Raw);
        Assert.Equal(("1", ResultEncoding.Json), Take());
        Add("[3]");
        Assert.Equal(("", ResultEncoding.Json), Take());
        Assert.Equal(("two", ResultEncoding.Raw), Take());
        Assert.Equal(("[3]", ResultEncoding.Json), Take());
        Assert.False(_items.TryTake());
    }

    [Fact]
    public void A_taken_item_stays_valid_while_others_arrive()
    {
        Add("first");
        Assert.Equal("first", Take().Item);
        for (var i = 0; i < 10_000; i++)
        {
            Add($"{i}");
        }

        Assert.Equal("first", Text(_items.Current));
        for (var i = 0; i < 10_000; i++)
        {
            Assert.Equal($"{i}", Take().Item);
        }
    }

    [Fact]
    public void A_full_window_takes_one_item_more_than_fits_and_then_none()
    {
        var most = 0;
        while (!_items.IsFull)
        {
            Add(new string('x', 1000));
            most++;
        }

        Assert.Equal((ItemQueue.Window + ItemCredit.CostOf(1000) - 1) / ItemCredit.CostOf(1000), most);
        Assert.False(TryAdd("one too many"));
    }

    [Fact]
    public void Credit_for_taken_items_is_granted_in_quarters_of_the_window()
    {
        var item = new string('x', (ItemQueue.Window / 8) - FrameHeader.Size);
        var grants = new List<uint>();
        for (var i = 0; i < 8; i++)
        {
            Add(item);
            grants.Add(_items.PassOn());
            Assert.True(_items.TryTake());
        }

        Assert.Equal([0, 0, ItemQueue.Window / 4, 0, ItemQueue.Window / 4, 0, ItemQueue.Window / 4, 0], grants);
        Assert.Equal((uint)ItemQueue.Window / 4, _items.PassOn());
        Assert.Equal(0u, _items.PassOn());
    }

    [Fact]
    public void An_endless_stream_continues_as_long_as_items_are_taken()
    {
        long sent = 0, granted = ItemQueue.Window;
        for (var i = 0; i < 100_000; i++)
        {
            Add("0123456789");
            sent += ItemCredit.CostOf(10);
            granted += _items.PassOn();
            Assert.True(_items.TryTake());
        }

        Assert.InRange(granted - sent, 1, ItemQueue.Window);
    }

    [Fact]
    public void A_queue_that_is_not_open_grants_its_window_first()
    {
        using var closed = new ItemQueue(isOpen: false);
        Assert.True(closed.IsFull);
        Assert.False(closed.TryAdd(Frame("early", FrameFlags.None)));
        Assert.Equal((uint)ItemQueue.Window, closed.PassOn());
        Assert.False(closed.IsFull);
        Assert.True(closed.TryAdd(Frame("in time", FrameFlags.None)));
        Assert.Equal(0u, closed.PassOn());
    }

    [Fact]
    public void A_stopped_queue_keeps_only_the_current_item()
    {
        Add("current");
        Add("waits in front");
        Take();
        Add("waits behind");
        _items.Stop();
        Assert.True(TryAdd("comes later"));
        Assert.Equal("current", Text(_items.Current));
        Assert.False(_items.TryTake());
    }

    [Fact]
    public void A_disposed_queue_holds_and_accepts_nothing()
    {
        Add("current");
        Add("waits");
        Take();
        _items.Dispose();
        Assert.True(_items.Current.IsEmpty);
        Assert.True(TryAdd("comes later"));
        Assert.False(_items.TryTake());
        _items.Stop();
        _items.Dispose();
    }

    private static Frame Frame(string item, FrameFlags flags)
    {
        var bytes = Encoding.UTF8.GetBytes(item);
        return new Frame(new FrameHeader(FrameType.Item, flags, 1, bytes.Length), bytes);
    }

    private static string Text(ReadOnlyMemory<byte> item) => Encoding.UTF8.GetString(item.Span);

    private bool TryAdd(string item, FrameFlags flags = FrameFlags.None) => _items.TryAdd(Frame(item, flags));

    private void Add(string item, FrameFlags flags = FrameFlags.None) => Assert.True(TryAdd(item, flags));

    private (string Item, ResultEncoding Encoding) Take()
    {
        _items.PassOn();
        Assert.True(_items.TryTake());
        return (Text(_items.Current), _items.CurrentEncoding);
    }
}
