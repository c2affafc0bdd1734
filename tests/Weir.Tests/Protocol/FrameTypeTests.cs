using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Tests.Protocol;

public sealed class FrameTypeTests
{
    [Fact]
    public void Frame_numbers_never_change()
    {
        var numbers = Enum.GetNames<FrameType>().Select(name => $"{(byte)Enum.Parse<FrameType>(name)} {name}");
        Assert.Equal(
            [
                "1 Call", "2 Item", "3 End", "4 Abort", "5 Credit", "6 Started", "7 Result", "8 Error",
                "16 Hello", "17 Ready", "18 Cancel", "20 Returned", "21 Ping", "22 Pong", "23 Drain", "24 Log", "25 Bye", "26 Space", "27 Progress", "28 Stack",
            ],
            numbers);
    }

    [Fact]
    public void Frame_numbers_are_unique() =>
        Assert.Equal(Enum.GetNames<FrameType>().Length, Enum.GetValues<FrameType>().Distinct().Count());

    [Theory]
    [InlineData(typeof(FrameFlags), "0 None,1 NoValue,2 Raw,4 Failed,8 Head")]
    [InlineData(typeof(ErrorKind), "1 HandlerFailed,2 OperationStatus,3 BadArguments,4 Cancelled,5 DeadlineExceeded,6 OutOfMemory,7 PayloadTooLarge")]
    [InlineData(typeof(PartKind), "0 Json,1 Raw,2 OutOfBand,3 Context,4 Caller")]
    [InlineData(typeof(ResultEncoding), "0 Json,1 Raw")]
    [InlineData(typeof(Capabilities), "0 None,2 SharedMemory,4 OutOfBand,8 RequestStreams,16 Concurrent,32 ResponseHeads,64 CallContext,128 Progress,256 Content,512 Caller,1024 Stack,2048 SharedData")]
    [InlineData(typeof(CancelReason), "1 Caller,2 Deadline,3 Stopping,4 Stalled")]
    [InlineData(typeof(AbortReason), "1 CallerFailed,2 Cancelled")]
    [InlineData(typeof(ByeReason), "1 Drained,2 ProtocolViolation,3 OutOfMemory,4 StartFailed")]
    public void Numbers_on_the_wire_never_change(Type type, string numbers) =>
        Assert.Equal(numbers, string.Join(',', Enum.GetNames(type).Select(name => $"{Convert.ToUInt32(Enum.Parse(type, name))} {name}")));

    [Fact]
    public void A_number_that_is_not_assigned_has_no_route()
    {
        var assigned = Enum.GetValues<FrameType>().ToHashSet();
        for (var number = 0; number < 256; number++)
            Assert.Equal(assigned.Contains((FrameType)number), FrameRules.Of((FrameType)number).Routes != FrameRoute.None);
    }
}
