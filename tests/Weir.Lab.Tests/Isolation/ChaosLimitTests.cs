using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Tests.Isolation;

public sealed class ChaosLimitTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("weir-lab-test-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public void Calls_are_made_beyond_the_count_until_the_lab_has_seen_enough()
    {
        var limit = new ChaosLimit(_folder.FullName, count: 16, seconds: 60);
        Assert.True(limit.GoesOn(32));
        WitnessFiles.SayEnough(_folder.FullName);
        Assert.False(limit.GoesOn(32));
    }

    [Fact]
    public void Enough_before_the_count_ends_nothing()
    {
        WitnessFiles.SayEnough(_folder.FullName);
        Assert.True(new ChaosLimit(_folder.FullName, count: 64, seconds: 60).GoesOn(32));
    }

    [Fact]
    public void When_the_time_is_over_nothing_goes_on() => Assert.False(new ChaosLimit(_folder.FullName, count: 64, seconds: 0).GoesOn(0));
}
