using Weir.Worker.Calls;

namespace Weir.Tests.Worker;

public sealed class CallEnvironmentTests
{
    [Fact]
    public void A_buffer_that_grew_large_is_not_kept_even_if_it_is_empty_again()
    {
        var environment = new CallEnvironment(new(new MemoryChannel()), new(), null!, TimeProvider.System, Microsoft.Extensions.Logging.Abstractions.NullLogger.Instance);
        var (frames, payload) = environment.RentBuffers();
        payload.Write(new byte[8 << 20]);
        payload.Clear();
        environment.ReturnBuffers(frames, payload);
        Assert.InRange(environment.RentBuffers().Payload.GetSpan().Length, 1, 1 << 20);
    }
}
