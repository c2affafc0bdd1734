using Weir.Protocol.Frames;

namespace Weir.Tests.Protocol;

public sealed class FrameHeaderTests
{
    private static byte[] Header(uint length, byte type, byte flags = 0, ushort reserved = 0, ulong callId = 1)
    {
        var bytes = new byte[FrameHeader.Size];
        BitConverter.TryWriteBytes(bytes, length);
        bytes[4] = type;
        bytes[5] = flags;
        BitConverter.TryWriteBytes(bytes.AsSpan(6), reserved);
        BitConverter.TryWriteBytes(bytes.AsSpan(8), callId);
        return bytes;
    }

    [Theory]
    [InlineData(0, 0, 0, 0, 1, FrameError.UnknownType)]
    [InlineData(0, 9, 0, 0, 1, FrameError.UnknownType)]
    [InlineData(0, 255, 0, 0, 1, FrameError.UnknownType)]
    [InlineData(0, (byte)FrameType.Bye, 0, 0, 0, FrameError.WrongRoute)]
    [InlineData(24, (byte)FrameType.Call, 0, 0, 1, FrameError.WrongRoute)]
    [InlineData(0, (byte)FrameType.Result, 4, 0, 1, FrameError.UnknownFlag)]
    [InlineData(0, (byte)FrameType.Result, 128, 0, 1, FrameError.UnknownFlag)]
    [InlineData(0, (byte)FrameType.Started, 1, 0, 1, FrameError.UnknownFlag)]
    [InlineData(0, (byte)FrameType.Result, 0, 1, 1, FrameError.ReservedBits)]
    [InlineData(0, (byte)FrameType.Result, 0, 0x8000, 1, FrameError.ReservedBits)]
    [InlineData(0, (byte)FrameType.Result, 0, 0, 0, FrameError.CallId)]
    [InlineData(1001, (byte)FrameType.Result, 0, 0, 1, FrameError.PayloadTooLong)]
    [InlineData(0xffffffff, (byte)FrameType.Result, 0, 0, 1, FrameError.PayloadTooLong)]
    [InlineData(0x80000000, (byte)FrameType.Item, 0, 0, 1, FrameError.PayloadTooLong)]
    [InlineData(1, (byte)FrameType.Started, 0, 0, 1, FrameError.PayloadTooLong)]
    [InlineData(1, (byte)FrameType.Result, 1, 0, 1, FrameError.PayloadTooLong)]
    [InlineData(5, (byte)FrameType.Credit, 0, 0, 1, FrameError.PayloadTooLong)]
    [InlineData(3, (byte)FrameType.Credit, 0, 0, 1, FrameError.PayloadTooShort)]
    [InlineData(0, (byte)FrameType.Error, 0, 0, 1, FrameError.PayloadTooShort)]
    public void A_header_that_breaks_a_rule_is_rejected_with_the_name_of_the_rule(uint length, byte type, byte flags, ushort reserved, ulong callId, Enum error)
    {
        var thrown = Assert.Throws<FrameException>(() => FrameHeader.Read(Header(length, type, flags, reserved, callId), FrameRoute.DataUp, 1000));
        Assert.Equal(error, thrown.Error);
        Assert.StartsWith(error + ": ", thrown.Message);
    }

    [Fact]
    public void A_control_frame_that_is_about_the_worker_must_not_name_a_call()
    {
        var thrown = Assert.Throws<FrameException>(() => FrameHeader.Read(Header(8, (byte)FrameType.Pong, callId: 1), FrameRoute.ControlUp, 1000));
        Assert.Equal(FrameError.CallId, thrown.Error);
    }

    [Fact]
    public void A_description_has_a_limit_of_its_own_below_the_readers()
    {
        var thrown = Assert.Throws<FrameException>(() => FrameHeader.Read(Header((1 << 20) + 1, (byte)FrameType.Error), FrameRoute.DataUp, 64 << 20));
        Assert.Equal(FrameError.PayloadTooLong, thrown.Error);
    }

    [Fact]
    public void A_header_is_read_as_it_was_written()
    {
        var header = new FrameHeader(FrameType.Result, FrameFlags.Raw, 0x0102030405060708, 999);
        var bytes = new byte[FrameHeader.Size];
        header.Write(bytes);
        Assert.Equal(header, FrameHeader.Read(bytes, FrameRoute.DataUp, 1000));
    }
}
