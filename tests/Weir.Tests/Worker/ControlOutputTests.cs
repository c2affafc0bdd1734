using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Worker.Channels;

namespace Weir.Tests.Worker;

public sealed class ControlOutputTests : IDisposable
{
    private readonly NarrowChannel _channel = new();
    private readonly Gate _gone = new();
    private readonly ControlOutput _output;

    public ControlOutputTests() => _output = new ControlOutput(_channel, _gone.Open);

    public void Dispose()
    {
        _channel.Space = int.MaxValue;
        _output.Dispose();
        _gone.Dispose();
    }

    [Fact]
    public void A_caller_sends_its_own_frame_while_there_is_space()
    {
        _output.Returned(1, 2);
        _output.Log(Record("one"), 7);
        _output.Pong(3);

        Assert.Equal([FrameType.Returned, FrameType.Log, FrameType.Pong], _channel.Sent());
        Assert.Equal([Environment.CurrentManagedThreadId], _channel.Senders.Distinct());
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(20)]
    [InlineData(100)]
    public void Frames_that_find_no_space_are_sent_by_another_thread_in_order_and_later_ones_by_their_caller(int space)
    {
        // 1. There is space for at most a part of the bytes, and no caller waits for more.
        _channel.Space = space;
        _output.Returned(1, 2);
        _output.Log(Record("one"), 7);
        _output.Log(Record("two"), 7);
        _output.Pong(3);
        _output.Pong(4);

        // 2. There is space again. The first PONG is replaced by the second one, unless the other thread took it before.
        _channel.Space = int.MaxValue;
        _channel.WaitForPong(4);
        var sent = _channel.Sent();
        Assert.Equal([FrameType.Returned, FrameType.Log, FrameType.Log], sent[..3]);
        Assert.InRange(sent.Count, 4, 5);
        Assert.All(sent[3..], f => Assert.Equal(FrameType.Pong, f));
        var another = _channel.Senders[^1];
        Assert.NotEqual(Environment.CurrentManagedThreadId, another);

        // 3. The other thread sends only the rest.
        for (ulong stamp = 5; _channel.Senders[^1] != Environment.CurrentManagedThreadId; stamp++)
        {
            Assert.True(stamp < 100_000, "Only the other thread still sends.");
            _output.Pong(stamp);
            Thread.Yield();
        }
    }

    [Fact]
    public void BYE_is_sent_last_and_its_sending_is_awaited_until_a_timeout()
    {
        _channel.Space = 0;
        _output.Log(Record("one"), 7);
        Assert.False(_output.Finish(new ByePayload(ByeReason.Drained, ""), TimeSpan.Zero));
        _output.Log(Record("too late"), 7);

        _channel.Space = int.MaxValue;
        Assert.True(_output.Finish(new ByePayload(ByeReason.Drained, ""), MemoryPipe.Patience));
        Assert.Equal([FrameType.Log, FrameType.Bye], _channel.Sent());
    }

    [Theory]
    [InlineData(int.MaxValue)]
    [InlineData(0)]
    public void An_exited_host_is_noticed_by_the_sender_and_no_frames_are_kept_for_it(int space)
    {
        _channel.Space = space;
        _channel.IsGone = true;
        _output.Log(Record("one"), 7);
        _channel.Space = int.MaxValue;

        _gone.Pass();
        Assert.True(_output.Finish(new ByePayload(ByeReason.Drained, ""), MemoryPipe.Patience));
        Assert.Empty(_channel.Sent());
    }

    private static LogPayload Record(string message) => new(2, 0, 0, "", "App", message, "");

    // Takes a limited number of bytes without waiting, and any number from a thread that waits until there is space for them.
    private sealed class NarrowChannel : IChannel
    {
        private readonly object _lock = new();
        private readonly List<byte> _bytes = [];
        private readonly List<int> _senders = [];
        private int _room = int.MaxValue;

        internal bool IsGone { get; set; }

        internal int Space
        {
            set
            {
                lock (_lock)
                {
                    _room = value;
                    Monitor.PulseAll(_lock);
                }
            }
        }

        internal List<int> Senders
        {
            get
            {
                lock (_lock)
                {
                    return [.. _senders];
                }
            }
        }

        public int Receive(Span<byte> buffer) => 0;

        public int TrySend(ReadOnlySpan<byte> bytes)
        {
            lock (_lock)
            {
                var count = Math.Min(_room, bytes.Length);
                return count == 0 ? 0 : Take(bytes[..count]);
            }
        }

        public void Send(ReadOnlySpan<byte> bytes)
        {
            lock (_lock)
            {
                while (_room < int.MaxValue)
                {
                    Monitor.Wait(_lock);
                }

                Take(bytes);
            }
        }

        public void EndSending()
        {
        }

        internal List<FrameType> Sent() => [.. Frames().Select(f => f.Type)];

        private List<(FrameType Type, ulong? Stamp)> Frames()
        {
            lock (_lock)
            {
                var frames = new List<(FrameType, ulong?)>();
                using var reader = new FrameReader(FrameRoute.ControlUp);
                foreach (var one in _bytes)
                {
                    reader.GetSpan()[0] = one;
                    reader.Advance(1);
                    while (reader.TryRead(out var frame))
                    {
                        frames.Add((frame.Type, frame.Type == FrameType.Pong ? PingPayload.Read(frame.Payload).Stamp : null));
                    }
                }

                return frames;
            }
        }

        internal void WaitForPong(ulong stamp)
        {
            lock (_lock)
            {
                while (!Frames().Exists(f => f.Stamp == stamp))
                {
                    Assert.True(Monitor.Wait(_lock, MemoryPipe.Patience), "Nothing more is sent.");
                }
            }
        }

        private int Take(ReadOnlySpan<byte> bytes)
        {
            if (IsGone)
            {
                throw new ChannelEndedException();
            }

            _bytes.AddRange(bytes);
            _senders.Add(Environment.CurrentManagedThreadId);
            _room -= _room == int.MaxValue ? 0 : bytes.Length;
            Monitor.PulseAll(_lock);
            return bytes.Length;
        }
    }
}
