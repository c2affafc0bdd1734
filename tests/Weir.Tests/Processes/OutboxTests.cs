using Weir.Execution;
using Weir.Execution.Processes;
using Weir.Protocol;

namespace Weir.Tests.Processes;

public sealed class OutboxTests : IDisposable
{
    private readonly ManualChannel _channel = new();
    private readonly Outbox _outbox;

    public OutboxTests() => _outbox = new Outbox(_channel);

    public void Dispose() => _channel.Dispose();

    [Fact]
    public void What_does_not_fit_follows_when_there_is_room_in_order()
    {
        _channel.Room = 5;
        _outbox.Send(1UL, static (frames, id) => frames.Append(FrameType.Started, id));
        _outbox.Send(2UL, static (frames, id) => frames.Append(FrameType.Started, id));
        Assert.Equal(5, _channel.Sent.Count);
        _channel.GiveRoom(20);
        Assert.Equal(25, _channel.Sent.Count);
        _channel.GiveRoom(100);
        Assert.Equal(2 * FrameHeader.Size, _channel.Sent.Count);
        Assert.Equal(1, _channel.Sent[8]);
        Assert.Equal(2, _channel.Sent[FrameHeader.Size + 8]);
    }

    [Fact]
    public void Arguments_are_not_copied_before_they_are_sent()
    {
        _channel.Room = 0;
        var bytes = new byte[100_000];
        _outbox.Send(Call(bytes), 1, new CallFields(0));
        bytes.AsSpan().Fill(7);
        _channel.GiveRoom(int.MaxValue);
        Assert.Equal(100_000, _channel.Sent.Count(static b => b == 7));
    }

    [Fact]
    public void Who_leaves_has_the_memory_back_and_the_worker_still_gets_a_whole_frame()
    {
        _channel.Room = 1000;
        var bytes = new byte[100_000];
        bytes.AsSpan().Fill(7);
        var call = Call(bytes);
        _outbox.Send(call, 1, new CallFields(0));
        _outbox.Detach(call);
        bytes.AsSpan().Clear();
        _channel.GiveRoom(int.MaxValue);
        Assert.Equal(100_000, _channel.Sent.Count(static b => b == 7));
    }

    [Fact]
    public void Who_left_before_the_frame_was_written_is_not_read_at_all()
    {
        var call = Call(new byte[100_000]);
        _outbox.Detach(call);
        _outbox.Send(call, 1, new CallFields(3));
        using var reader = new FrameReader(FrameRoute.DataDown);
        reader.Append([.. _channel.Sent]);
        Assert.True(reader.TryRead(out var frame));
        var sent = CallPayload.Read(frame.Memory);
        Assert.Equal(3, sent.Operation);
        Assert.Equal(0, sent.Parts.Count);
    }

    [Fact]
    public void A_channel_that_nobody_reads_swallows_what_comes()
    {
        _channel.Room = -1;
        _outbox.Send(1UL, static (frames, id) => frames.Append(FrameType.Started, id));
        _outbox.Send(2UL, static (frames, id) => frames.Append(FrameType.Started, id));
        _outbox.Release();
        Assert.Empty(_channel.Sent);
    }

    [Fact]
    public void After_the_close_nothing_is_sent_and_nothing_read()
    {
        _channel.Room = 10;
        _outbox.Send(Call(new byte[100_000]), 1, new CallFields(0));
        _outbox.Close();
        _channel.GiveRoom(int.MaxValue);
        Assert.Equal(10, _channel.Sent.Count);
    }

    private static PoolCall Call(byte[] bytes)
    {
        var call = new PoolCall(null!) { CallId = 1 };
        call.Begin(new RawCall(bytes), new ExecutionRequest { Services = NoScopes.Instance });
        call.WriteArguments();
        return call;
    }

    private sealed class RawCall(byte[] bytes) : VoidCall(new Operation { Name = "Raw", Verbs = Verbs.Post, Signature = 0, CreateCall = static _ => throw new NotSupportedException() })
    {
        public override void Bind(ArgumentReader reader) => throw new NotSupportedException();

        public override void WriteArguments(ArgumentWriter writer) => writer.AddRaw(0, bytes);

        public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken) => throw new NotSupportedException();
    }
}
