using System.Buffers;
using Weir.Execution.Pipeline;
using Weir.Execution.Pools.Calls;
using Weir.Execution.Pools.Transport;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Tests.Processes;

public sealed class DataSendQueueTests : IDisposable
{
    private readonly ManualChannel _channel = new();
    private readonly TaskCompletionSource<Exception> _failed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly DataSendQueue _queue;
    private Action<FrameWriter, PoolCall, ulong> _write = Write;

    public DataSendQueueTests() => _queue = new DataSendQueue(_channel, (frames, call, callId) => _write(frames, call, callId), TimeProvider.System, _failed.SetResult);

    public void Dispose() => _channel.Dispose();

    [Fact]
    public void Calls_that_are_assigned_together_are_sent_together_in_order()
    {
        _queue.Assign(Call(new byte[] { 1 }), 1);
        _queue.Assign(Call(new byte[] { 2 }), 2);
        _queue.Flush();
        Assert.Equal(1, _channel.Sends);
        Assert.Equal([(1ul, 1), (2ul, 2)], Sent());
    }

    [Fact]
    public void More_calls_than_the_queue_keeps_unwritten_may_be_assigned_at_once()
    {
        for (var i = 0; i < 3 * AssignedCalls.Most; i++)
        {
            _queue.Assign(Call(new[] { (byte)i }), (ulong)i + 1);
        }

        _queue.Flush();
        Assert.Equal(Enumerable.Range(0, 3 * AssignedCalls.Most).Select(static i => ((ulong)i + 1, i)), Sent());
    }

    [Fact]
    public void Bytes_that_do_not_fit_are_sent_when_there_is_space_together_with_later_calls()
    {
        _channel.Space = 5;
        _queue.Assign(Call(new byte[] { 1 }), 1);
        _queue.Flush();
        _queue.Assign(Call(new byte[] { 2 }), 2);
        _queue.Flush();
        Assert.Equal(5, _channel.Sent.Count);
        _channel.GiveSpace(int.MaxValue);
        Assert.Equal([(1ul, 1), (2ul, 2)], Sent());
    }

    [Fact]
    public void While_one_thread_waits_for_space_no_other_thread_sends()
    {
        _channel.Space = 5;
        _queue.Assign(Call(new byte[] { 1 }), 1);
        _queue.Flush();

        // There is space, and the callback of the waiting sender has not run yet.
        _channel.Space = int.MaxValue;
        _queue.Assign(Call(new byte[] { 2 }), 2);
        _queue.Flush();
        Assert.Equal(5, _channel.Sent.Count);
        _channel.GiveSpace(int.MaxValue);
        Assert.Equal([(1ul, 1), (2ul, 2)], Sent());
    }

    [Fact]
    public void A_worker_that_reads_one_byte_at_a_time_blocks_no_thread()
    {
        _channel.IsDripping = true;
        _queue.Assign(Call(new byte[300_000]), 1);
        _queue.Flush();
        Assert.InRange(_channel.Sent.Count, 0, 2);
        _channel.GiveSpace(int.MaxValue);
        Assert.InRange(_channel.Sent.Count, 0, 4);
        _channel.IsDripping = false;
        _channel.GiveSpace(int.MaxValue);
        Assert.Equal(1ul, Assert.Single(Sent()).Id);
    }

    [Fact]
    public void A_call_that_was_written_is_not_read_again()
    {
        var bytes = new byte[] { 1 };
        _queue.Assign(Call(bytes), 1);
        _queue.Write();
        bytes[0] = 9;
        _queue.Flush();
        Assert.Equal([(1ul, 1)], Sent());
    }

    [Fact]
    public void Long_arguments_are_not_copied_before_they_are_sent()
    {
        _channel.Space = 0;
        var bytes = new byte[100_000];
        _queue.Assign(Call(bytes), 1);
        _queue.Flush();
        bytes.AsSpan().Fill(7);
        _channel.GiveSpace(int.MaxValue);
        Assert.Equal(100_000, _channel.Sent.Count(static b => b == 7));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1000)]
    public void A_cancelled_caller_gets_its_memory_back_and_the_worker_still_gets_a_whole_frame(int space)
    {
        _channel.Space = space;
        var bytes = new byte[100_000];
        bytes.AsSpan().Fill(7);
        _queue.Assign(Call(bytes), 1);
        _queue.Flush();
        _queue.Detach();
        bytes.AsSpan().Clear();
        _channel.GiveSpace(int.MaxValue);
        Assert.Equal(100_000, _channel.Sent.Count(static b => b == 7));
    }

    [Fact]
    public void A_call_answered_before_its_frame_was_sent_releases_its_memory_too()
    {
        _channel.Space = 10;
        var bytes = new byte[100_000];
        bytes.AsSpan().Fill(7);
        _queue.Assign(Call(new byte[] { 1 }), 1);
        _queue.Assign(Call(bytes), 2);
        _queue.Flush();
        _queue.Release(1);
        bytes.AsSpan().Fill(8);
        _queue.Release(2);
        bytes.AsSpan().Clear();
        _channel.GiveSpace(int.MaxValue);
        Assert.Equal(100_000, _channel.Sent.Count(static b => b == 8));
    }

    [Fact]
    public void A_call_answered_before_its_frame_was_written_is_written_before_it_is_reused()
    {
        var call = Call(new byte[] { 1 });
        _queue.Assign(call, 1);
        _queue.Release(1);
        call.Arguments.Clear();
        _queue.Flush();
        Assert.Equal([(1ul, 1)], Sent());
    }

    [Fact]
    public void A_call_answered_while_its_frame_is_written_waits_until_it_is_written()
    {
        var call = Call(new byte[] { 1 });
        var release = new Thread(() =>
        {
            if (_queue.MayRefer(1))
            {
                _queue.Release(1);
            }

            call.Arguments.Clear();
        });
        _write = (frames, call, callId) =>
        {
            release.Start();
            while ((release.ThreadState & (ThreadState.WaitSleepJoin | ThreadState.Stopped)) == 0)
            {
                Thread.Yield();
            }

            Write(frames, call, callId);
        };
        _queue.Assign(call, 1);
        _queue.Flush();
        release.Join();
        Assert.Equal([(1ul, 1)], Sent());
    }

    [Fact]
    public void Space_that_becomes_free_while_a_caller_takes_its_memory_back_is_used()
    {
        _channel.Space = 10;
        _queue.Assign(Call(new byte[100_000]), 1);
        _queue.Flush();
        _queue.Assign(Call(new byte[] { 2 }), 2);
        _write = (frames, call, callId) =>
        {
            // Another thread holds the right to send; the callback does not wait for it.
            var epollLoop = new Thread(() => _channel.GiveSpace(int.MaxValue));
            epollLoop.Start();
            epollLoop.Join();
            Write(frames, call, callId);
        };
        _queue.Detach();
        Assert.Equal([1ul, 2ul], Sent().Select(static call => call.Id));
    }

    [Fact]
    public void Other_calls_are_assigned_and_written_while_a_long_argument_is_copied()
    {
        using var argument = new WatchedMemory(100_000);
        _channel.Space = 10;
        _queue.Assign(Call(argument.Memory), 1);
        _queue.Flush();
        var reads = 0;
        argument.OnRead = () =>
        {
            if (reads++ == 0)
            {
                // The pool holds its lock while it assigns a call: it must not wait for the copy.
                var pool = new Thread(() =>
                {
                    _queue.Assign(Call(new byte[] { 2 }), 2);
                    _queue.Write();
                });
                pool.Start();
                Assert.True(pool.Join(TimeSpan.FromSeconds(20)));
            }
        };
        _queue.Detach();
        argument.OnRead = null;
        Assert.InRange(reads, 1, int.MaxValue);
        argument.Clear();
        _channel.GiveSpace(int.MaxValue);
        Assert.Equal([(1ul, WatchedMemory.Fill), (2ul, 2)], Sent());
    }

    [Fact]
    public void Frames_for_a_channel_without_a_reader_are_discarded()
    {
        _channel.Space = -1;
        _queue.Assign(Call(new byte[] { 1 }), 1);
        _queue.Flush();
        _queue.Assign(Call(new byte[] { 2 }), 2);
        _queue.Flush();
        _queue.Detach();
        _queue.Release(2);
        Assert.Empty(_channel.Sent);
    }

    [Fact]
    public void After_the_close_nothing_is_sent_and_nothing_read()
    {
        _channel.Space = 10;
        _queue.Assign(Call(new byte[100_000]), 1);
        _queue.Flush();
        _queue.Close();
        _queue.Assign(Call(new byte[] { 2 }), 2);
        _queue.Flush();
        _channel.GiveSpace(int.MaxValue);
        Assert.Equal(10, _channel.Sent.Count);
    }

    [Fact]
    public async Task A_call_that_cannot_be_written_ends_the_channel_before_its_frame()
    {
        _write = static (frames, call, callId) => throw new ArgumentException("a trace that is too long");
        _queue.Assign(Call(new byte[10_000]), 1);
        _queue.Flush();
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

    private static void Write(FrameWriter frames, PoolCall call, ulong callId) => call.Write(frames, callId, operation: 3, takesContext: false, takesCaller: false);

    private static PoolCall Call(ReadOnlyMemory<byte> bytes)
    {
        var call = new PoolCall(null!);
        call.Begin(new RawCall(bytes), new CallRequest { Services = EmptyScopeFactory.Instance });
        call.WriteArguments();
        return call;
    }

    private sealed class RawCall(ReadOnlyMemory<byte> bytes) : VoidCall(new Operation { Name = "Raw", Verbs = Verbs.Post, Signature = 0, CreateCall = static _ => throw new NotSupportedException() })
    {
        public override void Bind(ArgumentReader reader) => throw new NotSupportedException();

        public override void WriteArguments(ArgumentWriter writer) => writer.AddRaw(0, bytes);

        public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken) => throw new NotSupportedException();
    }

    /// <summary>The memory of an argument that notifies the test when it is read.</summary>
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
