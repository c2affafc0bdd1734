using Weir.Execution.Processes.Linux.Interop;
using Weir.Execution.Processes.Linux.Launch;
using Weir.Protocol.Page;

namespace Weir.Tests.Processes;

/// <summary>The memory of a page: whoever has its descriptor cannot take it away from under the host, whose next look would end it.</summary>
public sealed class MemfdPageTests
{
    [Theory]
    [InlineData(-1)]
    [InlineData(-PageLayout.Size)]
    [InlineData(1)]
    [InlineData(1 << 30)]
    public void Its_length_stays_what_it_is(int by)
    {
        var (page, descriptor) = Create();
        using (page)
        using (descriptor)
        {
            Assert.Equal((-1, Errno.NotPermitted), (MemoryCalls.SetLength(descriptor.Number, PageLayout.Size + by), Errno.Last));
        }
    }

    [Fact]
    public void No_seal_is_added_later_which_would_forbid_what_the_page_is_for()
    {
        const int sealWrite = 8;
        var (page, descriptor) = Create();
        using (page)
        using (descriptor)
        {
            Assert.Equal((-1, Errno.NotPermitted), (DescriptorCalls.Control(descriptor.Number, MemoryCalls.AddSeals, sealWrite), Errno.Last));
        }
    }

    private static (IDisposable Page, Descriptor Descriptor) Create()
    {
        if (MemfdPage.TryCreate() is { } made)
        {
            return made;
        }

        Assert.Skip("There is no such memory here.");
        throw new InvalidOperationException();
    }
}
