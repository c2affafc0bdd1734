using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;
using Weir.Tests.Contract;
using Weir.Tests.Execution;

namespace Weir.Tests.Protocol;

public sealed class ResponseHeadTests
{
    [Fact]
    public void What_is_written_is_read_and_the_value_follows()
    {
        using var output = new PayloadWriter();
        ResponseHead.Write(output, 201, new Dictionary<string, string> { ["X-A"] = "b", ["X-U"] = "ü" });
        output.Write("1"u8);

        var head = ResponseHead.Read(FrameType.Result, output.WrittenSpan, out var length);

        Assert.Equal(201, head.Status);
        Assert.Equal([new("X-A", "b"), new("X-U", "ü")], head.Headers);
        Assert.Equal("1"u8, output.WrittenSpan[length..]);
    }

    [Fact]
    public void A_context_shows_what_was_chosen_and_keeps_the_rest()
    {
        var context = new OperationContext(new SumCall(SumCall.NewOperation()), NoServices.Instance, default) { StatusCode = 202 };
        context.Headers["X-A"] = "filter";
        context.Headers["X-B"] = "filter";
        using var output = new PayloadWriter();
        ResponseHead.Write(output, null, new Dictionary<string, string> { ["x-a"] = "operation" });

        ResponseHead.Read(FrameType.Item, output.WrittenSpan, out _).ApplyTo(context);

        Assert.Equal(202, context.StatusCode);
        Assert.Equal(("operation", "filter"), (context.Headers["X-A"], context.Headers["X-B"]));
    }

    [Theory]
    [InlineData(199, "X", "")]
    [InlineData(600, "X", "")]
    [InlineData(200, "", "a")]
    [InlineData(200, "X Y", "a")]
    [InlineData(200, "X:", "a")]
    [InlineData(200, "X", "a\rb")]
    [InlineData(200, "X", "a\nb")]
    [InlineData(200, "X", "a\0b")]
    public void A_head_that_is_invalid_in_a_response_is_not_written_and_breaks_the_protocol_when_it_is_read(int status, string name, string value)
    {
        using var output = new PayloadWriter();
        Assert.Throws<InvalidOperationException>(() => ResponseHead.Write(output, status, new Dictionary<string, string> { [name] = value }));
        Assert.Equal(0, output.Length);

        byte[] fields = [.. U16(status), .. U16(1), .. Text(name), .. Text(value)];
        AssertMalformed([.. U32(fields.Length), .. fields]);
    }

    [Fact]
    public void Its_length_is_bounded_and_nothing_is_read_beyond_it()
    {
        using var output = new PayloadWriter();
        Assert.Throws<InvalidOperationException>(() => ResponseHead.Write(output, 200, new Dictionary<string, string> { ["X"] = new('a', ResponseHead.MostLength) }));

        AssertMalformed([]);
        AssertMalformed([.. U32(4), .. U16(200)]);
        AssertMalformed([.. U32(5), .. U16(200), .. U16(0), 0]);
        AssertMalformed([.. U32(4), .. U16(200), .. U16(65535)]);
        AssertMalformed([.. U32(ResponseHead.MostLength + 1), .. U16(200), .. U16(0), .. new byte[ResponseHead.MostLength]]);
        AssertMalformed([.. U32(8), .. U16(200), .. U16(1), .. U32(-1)]);
    }

    [Fact]
    public void Only_workers_send_one()
    {
        var header = new byte[FrameHeader.Size];
        new FrameHeader(FrameType.Item, FrameFlags.Head, 1, 8).Write(header);

        Assert.Equal(FrameFlags.Head, FrameHeader.Read(header, FrameRoute.DataUp, 100).Flags);
        var error = Assert.Throws<FrameException>(() => FrameHeader.Read(header, FrameRoute.DataDown | FrameRoute.ControlDown, 100));
        Assert.Equal(FrameError.UnknownFlag, error.Error);
    }

    private static void AssertMalformed(byte[] payload)
    {
        var error = Assert.Throws<FrameException>(() => ResponseHead.Read(FrameType.Result, payload, out _));
        Assert.Equal(FrameError.MalformedPayload, error.Error);
    }

    private static byte[] U16(int value) => BitConverter.GetBytes((ushort)value);

    private static byte[] U32(int value) => BitConverter.GetBytes(value);

    private static byte[] Text(string text) => [.. U32(text.Length), .. System.Text.Encoding.ASCII.GetBytes(text)];
}
