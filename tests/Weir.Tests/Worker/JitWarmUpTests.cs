using Weir.Protocol.Frames;
using Weir.Worker.Session;

namespace Weir.Tests.Worker;

public sealed class RehearsalTests
{
    [Fact]
    public void A_call_that_nobody_made_is_answered_as_often_as_it_is_rehearsed()
    {
        // An empty text as JSON.
        Assert.Equal(FrameHeader.Size + 2, JitWarmUp.Run());
        Assert.Equal(FrameHeader.Size + 2, JitWarmUp.Run());
    }
}
