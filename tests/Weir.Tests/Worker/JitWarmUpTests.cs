using Weir.Protocol.Frames;
using Weir.Worker.Session;

namespace Weir.Tests.Worker;

public sealed class JitWarmUpTests
{
    [Fact]
    public void The_internal_warm_up_call_is_answered_each_time_it_runs()
    {
        // An empty text as JSON.
        Assert.Equal(FrameHeader.Size + 2, JitWarmUp.Run());
        Assert.Equal(FrameHeader.Size + 2, JitWarmUp.Run());
    }
}
