using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Tests.Worker;

/// <summary>Content between a host that the test simulates and a worker.</summary>
public sealed class ContentTests
{
    private const uint Window = 256 * 1024;
    private const Capabilities Agreed = Capabilities.Content | Capabilities.RequestStreams | Capabilities.ResponseHeads;

    [Fact]
    public void Content_is_returned_in_raw_pieces_and_its_length_comes_with_the_first()
    {
        using var host = Start(static (_, _, _) => new(new MemoryStream(new byte[70_000])), takesContent: false);
        host.Call(1, 0, text: null, encoding: ResultEncoding.Raw, credit: Window);
        host.ExpectData(FrameType.Started, 1);
        var first = host.ExpectData(FrameType.Item, 1);
        Assert.Equal(FrameFlags.Raw | FrameFlags.Head, first.Flags);
        var head = ResponseHead.Read(FrameType.Item, first.Payload, out var length);
        Assert.Null(head.Status);
        Assert.Equal([new("Content-Length", "70000"), new("Accept-Ranges", "bytes")], head.Headers);
        Assert.InRange(first.Payload.Length - length, 1, 65_536);
        var rest = host.ExpectData(FrameType.Item, 1);
        Assert.Equal((FrameFlags.Raw, 70_000), (rest.Flags, first.Payload.Length - length + rest.Payload.Length));
        Assert.Equal(FrameFlags.NoValue, host.ExpectData(FrameType.Result, 1).Flags);
    }

    [Fact]
    public void Empty_content_has_its_head_in_the_result()
    {
        using var host = Start(static (_, _, _) => new(new MemoryStream()), takesContent: false);
        host.Call(1, 0, text: null, encoding: ResultEncoding.Raw, credit: Window);
        var result = host.ExpectResult(1);
        Assert.Equal(FrameFlags.NoValue | FrameFlags.Head, result.Flags);
        Assert.Equal([new("Content-Length", "0"), new("Accept-Ranges", "bytes")], ResponseHead.Read(FrameType.Result, result.Payload, out _).Headers);
    }

    [Theory]
    [InlineData("2", "set Content-Length to 2, and returned a stream of 3 bytes")]
    [InlineData("4", "set Content-Length to 4, and returned a stream of 3 bytes")]
    [InlineData("four", "'four'")]
    public void Content_of_another_length_than_the_operation_said_fails(string said, string named)
    {
        using var host = Start(
            (_, context, _) =>
            {
                context!.Headers["Content-Length"] = said;
                return new(new MemoryStream([1, 2, 3]));
            },
            takesContent: false,
            usesContext: true);
        host.Call(1, 0, text: null, encoding: ResultEncoding.Raw, credit: Window);
        host.ExpectData(FrameType.Started, 1);
        var frame = host.NextData();
        if (frame.Type == FrameType.Item)
        {
            frame = host.NextData();
        }

        Assert.Equal(FrameType.Error, frame.Type);
        Assert.Contains(named, ErrorPayload.Read(frame.Payload).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_producer_without_credit_is_not_read()
    {
        var source = new MemoryStream(new byte[1_000_000]);
        using var host = Start((_, _, _) => new(source), takesContent: false);
        host.Call(1, 0, text: null, encoding: ResultEncoding.Raw, credit: 1);
        host.ExpectData(FrameType.Started, 1);
        host.ExpectData(FrameType.Item, 1);
        host.SettleControl();

        // The piece that was sent, and the next one, which waits.
        Assert.InRange(source.Position, 1, 2 * 65_536);
        host.Grant(1, 2_000_000);
        while (host.NextData() is { } frame && frame.Type != FrameType.Result)
        {
            Assert.Equal(FrameType.Item, frame.Type);
        }

        Assert.False(source.CanRead);
    }

    [Fact]
    public void What_arrives_can_be_returned_while_it_arrives()
    {
        using var host = Start(static (content, _, _) => new(content));
        host.Call(1, 0, text: null, encoding: ResultEncoding.Raw, credit: Window);
        host.ExpectData(FrameType.Started, 1);
        Assert.Equal(FrameType.Credit, host.NextData().Type);
        for (byte one = 1; one <= 3; one++)
        {
            host.Data(w => Piece(w, one));
            Assert.Equal([one], host.ExpectData(FrameType.Item, 1).Payload);
        }

        host.Data(static w => w.Append(FrameType.End, 1));
        host.ExpectData(FrameType.Result, 1);
    }

    [Fact]
    public void Content_that_the_caller_gave_up_never_looks_complete()
    {
        var wasComplete = false;
        using var host = Start(async (content, _, token) =>
        {
            await content.CopyToAsync(Stream.Null, token);
            wasComplete = true;
            return Stream.Null;
        });
        host.Call(1, 0, text: null, encoding: ResultEncoding.Raw, credit: Window);
        host.ExpectData(FrameType.Started, 1);
        Assert.Equal(FrameType.Credit, host.NextData().Type);
        host.Data(static w => Piece(w, 1));
        host.Data(static w => new AbortPayload(AbortReason.CallerFailed, "cut").Write(w, 1));
        Assert.Equal(ErrorKind.Cancelled, ErrorPayload.Read(host.ExpectData(FrameType.Error, 1).Payload).Kind);
        Assert.False(wasComplete);
    }

    [Fact]
    public void A_cancelled_call_ends_a_wait_that_has_no_token()
    {
        using var host = Start(static async (content, _, _) =>
        {
            await content.ReadExactlyAsync(new byte[10], CancellationToken.None);
            return Stream.Null;
        });
        host.Call(1, 0, text: null, encoding: ResultEncoding.Raw, credit: Window);
        host.ExpectData(FrameType.Started, 1);
        Assert.Equal(FrameType.Credit, host.NextData().Type);
        host.Data(static w => Piece(w, 1));
        host.Cancel(1);
        Assert.Equal(ErrorKind.Cancelled, ErrorPayload.Read(host.ExpectData(FrameType.Error, 1).Payload).Kind);
    }

    [Fact]
    public void A_producer_that_fails_ends_with_its_failure_and_not_with_a_result()
    {
        using var host = Start(static (_, _, _) => new(new BrokenStream()), takesContent: false);
        host.Call(1, 0, text: null, encoding: ResultEncoding.Raw, credit: Window);
        host.ExpectData(FrameType.Started, 1);
        Assert.Equal(FrameFlags.Raw, host.ExpectData(FrameType.Item, 1).Flags);
        Assert.Equal("broken", ErrorPayload.Read(host.ExpectData(FrameType.Error, 1).Payload).Message);
    }

    [Fact]
    public void A_value_where_bytes_are_expected_ends_the_worker()
    {
        using var host = Start(static (content, _, _) => new(content));
        host.Call(1, 0, text: null, encoding: ResultEncoding.Raw, credit: Window);
        host.ExpectData(FrameType.Started, 1);
        Assert.Equal(FrameType.Credit, host.NextData().Type);
        host.Data(static w =>
        {
            w.Begin(FrameType.Item, 1);
            w.Write("{}"u8);
            w.End();
        });
        var bye = ByePayload.Read(host.ExpectControl(FrameType.Bye).Payload);
        Assert.Equal(ByeReason.ProtocolViolation, bye.Reason);
        Assert.StartsWith("MalformedPayload: ", bye.Message, StringComparison.Ordinal);
        Assert.Equal("abort 2", host.End.Wait());
    }

    private static ScriptedHost Start(Func<Stream, OperationContext?, CancellationToken, ValueTask<Stream>> run, bool takesContent = true, bool usesContext = false) =>
        ScriptedHost.Ready(new TestCatalog().Content(run, usesContext, takesContent), Agreed);

    private static void Piece(FrameWriter frames, byte content)
    {
        frames.Begin(FrameType.Item, 1, FrameFlags.Raw);
        frames.Write([content]);
        frames.End();
    }

    private sealed class BrokenStream : MemoryStream
    {
        private bool _isBroken;

        public override bool CanSeek => false;

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            if (_isBroken)
            {
                throw new IOException("broken");
            }

            _isBroken = true;
            buffer.Span[0] = 1;
            return new ValueTask<int>(1);
        }
    }
}
