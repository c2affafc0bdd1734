using System.Buffers;
using Weir.Execution.Pipeline;
using Weir.Execution.Pools.Calls;
using Weir.Execution.Pools.Transport;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Tests.Processes;

public sealed class CallOutboxTests : IDisposable
{
    private readonly ManualChannel _channel = new();
    private readonly TaskCompletionSource<Exception> _failed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly DataSendQueue _outbox;
    private Func<PoolCall, CallFields> _fields = static _ => new CallFields(3);

    public CallOutboxTests() => _outbox = new DataSendQueue(_channel, call => _fields(call), TimeProvider.System, _failed.SetResult);

    public void Dispose() => _channel.Dispose();

    [Fact]
    public void Calls_that_were_given_together_are_sent_together_in_order()
    {
        _outbox.Give(Call(new byte[] { 1 }), 1);
        _outbox.Give(Call(new byte[] { 2 }), 2);
        _outbox.Flush();
        Assert.Equal(1, _channel.Sends);
        Assert.Equal([(1ul, 1), (2ul, 2)], Sent());
    }

    [Fact]
    public void More_than_are_kept_unwritten_may_be_given_at_once()
    {
        for (var i = 0; i < 3 * AssignedCalls.Most; i++)
        {
            _outbox.Give(Call(new[] { (byte)i }), (ulong)i + 1);
        }

        _outbox.Flush();
        Assert.Equal(Enumerable.Range(0, 3 * AssignedCalls.Most).Select(static i => ((ulong)i + 1, i)), Sent());
    }

    [Fact]
    public void What_does_not_fit_follows_when_there_is_room_with_what_came_meanwhile()
    {
        _channel.Room = 5;
        _outbox.Give(Call(new byte[] { 1 }), 1);
        _outbox.Flush();
        _outbox.Give(Call(new byte[] { 2 }), 2);
        _outbox.Flush();
        Assert.Equal(5, _channel.Sent.Count);
        _channel.GiveRoom(int.MaxValue);
        Assert.Equal([(1ul, 1), (2ul, 2)], Sent());
    }

    [Fact]
    public void While_one_waits_for_room_nobody_else_sends()
    {
        _channel.Room = 5;
        _outbox.Give(Call(new byte[] { 1 }), 1);
        _outbox.Flush();

        // There is room, and who waits for it was not called back yet.
        _channel.Room = int.MaxValue;
        _outbox.Give(Call(new byte[] { 2 }), 2);
        _outbox.Flush();
        Assert.Equal(5, _channel.Sent.Count);
        _channel.GiveRoom(int.MaxValue);
        Assert.Equal([(1ul, 1), (2ul, 2)], Sent());
    }

    [Fact]
    public void A_worker_that_takes_a_byte_at_a_time_holds_nobody()
    {
        _channel.IsDripping = true;
        _outbox.Give(Call(new byte[300_000]), 1);
        _outbox.Flush();
        Assert.InRange(_channel.Sent.Count, 0, 2);
        _channel.GiveRoom(int.MaxValue);
        Assert.InRange(_channel.Sent.Count, 0, 4);
        _channel.IsDripping = false;
        _channel.GiveRoom(int.MaxValue);
        Assert.Equal(1ul, Assert.Single(Sent()).Id);
    }

    [Fact]
    public void A_call_that_was_written_is_not_looked_at_again()
    {
        var bytes = new byte[] { 1 };
        _outbox.Give(Call(bytes), 1);
        _outbox.Write();
        bytes[0] = 9;
        _outbox.Flush();
        Assert.Equal([(1ul, 1)], Sent());
    }

    [Fact]
    public void Long_arguments_are_not_copied_before_they_are_sent()
    {
        _channel.Room = 0;
        var bytes = new byte[100_000];
        _outbox.Give(Call(bytes), 1);
        _outbox.Flush();
        bytes.AsSpan().Fill(7);
        _channel.GiveRoom(int.MaxValue);
        Assert.Equal(100_000, _channel.Sent.Count(static b => b == 7));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1000)]
    public void Who_leaves_has_the_memory_back_and_the_worker_still_gets_a_whole_frame(int room)
    {
        _channel.Room = room;
        var bytes = new byte[100_000];
        bytes.AsSpan().Fill(7);
        _outbox.Give(Call(bytes), 1);
        _outbox.Flush();
        _outbox.Detach();
        bytes.AsSpan().Clear();
        _channel.GiveRoom(int.MaxValue);
        Assert.Equal(100_000, _channel.Sent.Count(static b => b == 7));
    }

    [Fact]
    public void Who_is_answered_before_the_frame_was_sent_has_the_memory_back_too()
    {
        _channel.Room = 10;
        var bytes = new byte[100_000];
        bytes.AsSpan().Fill(7);
        _outbox.Give(Call(new byte[] { 1 }), 1);
        _outbox.Give(Call(bytes), 2);
        _outbox.Flush();
        _outbox.Release(1);
        bytes.AsSpan().Fill(8);
        _outbox.Release(2);
        bytes.AsSpan().Clear();
        _channel.GiveRoom(int.MaxValue);
        Assert.Equal(100_000, _channel.Sent.Count(static b => b == 8));
    }

    [Fact]
    public void Who_is_answered_before_there_was_a_frame_has_it_written_before_it_is_used_again()
    {
        var call = Call(new byte[] { 1 });
        _outbox.Give(call, 1);
        _outbox.Release(1);
        call.Arguments.Clear();
        _outbox.Flush();
        Assert.Equal([(1ul, 1)], Sent());
    }

    [Fact]
    public void Who_is_answered_while_its_frame_is_written_waits_until_it_is_written()
    {
        var call = Call(new byte[] { 1 });
        var release = new Thread(() =>
        {
            if (_outbox.MayRefer(1))
            {
                _outbox.Release(1);
            }

            call.Arguments.Clear();
        });
        _fields = _ =>
        {
            release.Start();
            while ((release.ThreadState & (ThreadState.WaitSleepJoin | ThreadState.Stopped)) == 0)
            {
                Thread.Yield();
            }

            return new CallFields(3);
        };
        _outbox.Give(call, 1);
        _outbox.Flush();
        release.Join();
        Assert.Equal([(1ul, 1)], Sent());
    }

    [Fact]
    public void Room_that_comes_while_somebody_takes_memory_back_is_used()
    {
        _channel.Room = 10;
        _outbox.Give(Call(new byte[100_000]), 1);
        _outbox.Flush();
        _outbox.Give(Call(new byte[] { 2 }), 2);
        _fields = call =>
        {
            // The right to send is held just now; whoever is called back does not wait for it.
            var attendant = new Thread(() => _channel.GiveRoom(int.MaxValue));
            attendant.Start();
            attendant.Join();
            return new CallFields(3);
        };
        _outbox.Detach();
        Assert.Equal([1ul, 2ul], Sent().Select(static call => call.Id));
    }

    [Fact]
    public void Other_calls_are_given_and_written_while_a_long_argument_is_copied()
    {
        using var argument = new WatchedMemory(100_000);
        _channel.Room = 10;
        _outbox.Give(Call(argument.Memory), 1);
        _outbox.Flush();
        var reads = 0;
        argument.OnRead = () =>
        {
            if (reads++ == 0)
            {
                // The pool holds its lock while it gives a call: it must not wait for the copy.
                var pool = new Thread(() =>
                {
                    _outbox.Give(Call(new byte[] { 2 }), 2);
                    _outbox.Write();
                });
                pool.Start();
                Assert.True(pool.Join(TimeSpan.FromSeconds(20)));
            }
        };
        _outbox.Detach();
        argument.OnRead = null;
        Assert.InRange(reads, 1, int.MaxValue);
        argument.Clear();
        _channel.GiveRoom(int.MaxValue);
        Assert.Equal([(1ul, WatchedMemory.Fill), (2ul, 2)], Sent());
    }

    [Fact]
    public void A_channel_that_nobody_reads_swallows_what_comes()
    {
        _channel.Room = -1;
        _outbox.Give(Call(new byte[] { 1 }), 1);
        _outbox.Flush();
        _outbox.Give(Call(new byte[] { 2 }), 2);
        _outbox.Flush();
        _outbox.Detach();
        _outbox.Release(2);
        Assert.Empty(_channel.Sent);
    }

    [Fact]
    public void After_the_close_nothing_is_sent_and_nothing_read()
    {
        _channel.Room = 10;
        _outbox.Give(Call(new byte[100_000]), 1);
        _outbox.Flush();
        _outbox.Close();
        _outbox.Give(Call(new byte[] { 2 }), 2);
        _outbox.Flush();
        _channel.GiveRoom(int.MaxValue);
        Assert.Equal(10, _channel.Sent.Count);
    }

    [Fact]
    public async Task A_call_that_cannot_be_written_ends_the_channel_before_its_frame()
    {
        _fields = static _ => new CallFields(3, TraceParent: new string('x', 300));
        _outbox.Give(Call(new byte[10_000]), 1);
        _outbox.Flush();
        Assert.IsType<ArgumentException>(await _failed.Task.WaitAsync(TimeSpan.FromSeconds(20), TimeProvider.System, TestContext.Current.CancellationToken));
        Assert.Empty(_channel.Sent);
    }

    private List<(ulong Id, int First)> Sent()
    {
        using var reader = new FrameReader(FrameRoute.DataDown);
        reader.Append([.. _channel.Sent]);
        var calls = new List<(ulong, int)>();
        while (reader.TryRead(out var frame))
        {
            var call = CallPayload.Read(frame.Memory);
            Assert.Equal(3, call.Operation);
            foreach (var part in call.Parts)
            {
                calls.Add((frame.CallId, part.Bytes.Span[0]));
            }
        }

        reader.Complete();
        return calls;
    }

    private static PoolCall Call(ReadOnlyMemory<byte> bytes)
    {
        var call = new PoolCall(null!);
        call.Begin(new RawCall(bytes), new ExecutionRequest { Services = NoScopes.Instance });
        call.WriteArguments();
        return call;
    }

    private sealed class RawCall(ReadOnlyMemory<byte> bytes) : VoidCall(new Operation { Name = "Raw", Verbs = Verbs.Post, Signature = 0, CreateCall = static _ => throw new NotSupportedException() })
    {
        public override void Bind(ArgumentReader reader) => throw new NotSupportedException();

        public override void WriteArguments(ArgumentWriter writer) => writer.AddRaw(0, bytes);

        public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken) => throw new NotSupportedException();
    }

    /// <summary>An argument's memory that tells when it is read.</summary>
    private sealed class WatchedMemory : MemoryManager<byte>
    {
        public const byte Fill = 7;

        private readonly byte[] _bytes;

        public WatchedMemory(int length)
        {
            _bytes = new byte[length];
            _bytes.AsSpan().Fill(Fill);
        }

        public Action? OnRead { get; set; }

        public void Clear() => _bytes.AsSpan().Clear();

        public override Span<byte> GetSpan()
        {
            OnRead?.Invoke();
            return _bytes;
        }

        public override MemoryHandle Pin(int elementIndex = 0) => throw new NotSupportedException();

        public override void Unpin()
        {
        }

        protected override void Dispose(bool disposing)
        {
        }
    }
}
