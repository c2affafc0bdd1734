using Weir.Lab.Measuring;

namespace Weir.Lab.Tests.Measuring;

public sealed class SyncProbeTests
{
    [Fact]
    public void A_median_leaves_no_file_behind()
    {
        var directory = Directory.CreateTempSubdirectory("weir-lab-sync-");
        Assert.True(SyncProbe.Median(directory.FullName, 3) > 0);
        Assert.Empty(directory.EnumerateFiles());
        directory.Delete();
    }
}
