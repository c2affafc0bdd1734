using Weir.Execution.Processes;
using Weir.Execution.Processes.Linux.Launch;
using Weir.Protocol.SharedMemory;
using Weir.Tests.Protocol;

namespace Weir.Tests.Processes;

/// <summary>The host's end of a data channel that may use shared memory.</summary>
public sealed class RingChannelTests : IDisposable
{
    private readonly AllocatedRegion _memory = new();
    private readonly ManualChannel _socket = new();
    private readonly RingChannel _channel;
    private readonly SharedMemoryRegion _region;

    public RingChannelTests()
    {
        _channel = new RingChannel(_socket);
        _region = new BorrowedRegion(_memory.Address);
    }

    public void Dispose()
    {
        _channel.Dispose();
        _region.Dispose();
        _memory.Dispose();
    }

    [Fact]
    public void A_worker_that_does_not_choose_shared_memory_uses_the_socket()
    {
        var called = 0;
        _socket.Space = 3;
        Assert.Equal(3, _channel.TrySend("hello"u8));
        Assert.Equal(0, _channel.TrySend("lo"u8));
        _channel.WhenWritable(() => called++);
        _socket.GiveSpace(5);
        Assert.Equal(1, called);
        Assert.Equal("hel"u8.ToArray(), _socket.Sent);
    }

    [Fact]
    public void A_worker_is_woken_once_for_each_time_it_sleeps_and_not_while_it_is_awake()
    {
        Share();
        Assert.Equal(1, _channel.TrySend("a"u8));
        Assert.Empty(_socket.Sent);
        new WaitWord<SharedMemoryAccess>(_memory.Address, SharedMemoryLayout.WorkerSleeps).Raise();
        Assert.Equal(1, _channel.TrySend("b"u8));
        Assert.Equal(1, _channel.TrySend("c"u8));
        Assert.Single(_socket.Sent);
    }

    [Fact]
    public void A_worker_that_could_not_be_woken_because_its_socket_was_full_is_woken_later()
    {
        Share();
        _socket.Space = 0;
        new WaitWord<SharedMemoryAccess>(_memory.Address, SharedMemoryLayout.WorkerSleeps).Raise();
        Assert.Equal(1, _channel.TrySend("a"u8));
        Assert.Empty(_socket.Sent);
        _socket.GiveSpace(1);
        Assert.Single(_socket.Sent);
    }

    [Fact]
    public void No_more_than_one_ring_is_read_from_an_exited_worker_even_if_another_process_continues_to_write()
    {
        Share();
        var (up, _) = SharedMemoryAccess.OpenWorkerRings(_memory.Address);
        var buffer = new byte[100_000];
        long read = 0;
        _channel.End();
        while (true)
        {
            up.Add(new byte[60_000]);
            up.Send();
            var count = _channel.Receive(buffer);
            if (count == 0)
            {
                break;
            }

            read += count;
            Assert.InRange(read, 0, SharedMemoryLayout.RingSize);
        }

        Assert.Equal(SharedMemoryLayout.RingSize, read);
    }

    [Fact]
    public void Bytes_that_the_host_did_not_take_are_a_missed_wake_until_it_takes_them()
    {
        Share();
        var (up, _) = SharedMemoryAccess.OpenWorkerRings(_memory.Address);
        up.Add("answer"u8);
        Assert.False(_channel.MissedWake);
        up.Send();
        Assert.True(_channel.MissedWake);
        Assert.Equal(6, _channel.Receive(new byte[10]));
        Assert.False(_channel.MissedWake);
    }

    [Fact]
    public void Free_space_that_a_sender_still_waits_for_is_a_missed_wake()
    {
        Share();
        var (_, down) = SharedMemoryAccess.OpenWorkerRings(_memory.Address);
        while (_channel.TrySend(new byte[100_000]) > 0)
        {
        }

        _channel.WhenWritable(static () => { });
        while (down.Take(new byte[100_000], out _) > 0)
        {
        }

        Assert.True(_channel.MissedWake);
    }

    [Fact]
    public void Bytes_that_the_worker_did_not_take_are_a_missed_wake_until_it_takes_them()
    {
        Share();
        var (_, down) = SharedMemoryAccess.OpenWorkerRings(_memory.Address);
        Assert.Equal(1, _channel.TrySend("a"u8));
        Assert.True(_channel.MissedWake);
        Assert.Equal(1, down.Take(new byte[10], out _));
        Assert.False(_channel.MissedWake);
    }

    [Fact]
    public void A_worker_can_be_woken_regardless_of_its_wait_word()
    {
        Share();
        _channel.WakeInAnyCase();
        _channel.WakeInAnyCase();
        Assert.Equal(2, _socket.Sent.Count);
    }

    [Fact]
    public void A_worker_without_shared_memory_is_not_woken()
    {
        _channel.WakeInAnyCase();
        Assert.Empty(_socket.Sent);
    }

    private void Share() => _channel.Share(_region, static () => { }, static _ => { });
}
