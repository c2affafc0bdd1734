using Xunit;

namespace Weir.IntegrationTests.Processes;

[Collection(nameof(Alone))]
public class FloodTests
{
    private const string Line = "a line of the flood that no reader will read to its end";
    private const int FloodBytes = 100 << 20;

    [Fact]
    public async Task A_hundred_megabytes_on_stderr_pass_at_a_bounded_rate_without_growing_the_host()
    {
        GC.Collect();
        var before = Environment.WorkingSet;
        var managed = GC.GetTotalAllocatedBytes(precise: true);
        var start = TimeProvider.System.GetTimestamp();
        await using var launched = await Launched.ShellAsync($"yes '{Line}' | head -c {FloodBytes} >&2; echo >&2; echo last >&2");
        await launched.ExitAsync();
        var elapsed = TimeProvider.System.GetElapsedTime(start);

        Assert.Equal((FloodBytes / (Line.Length + 1)) + 2, launched.Log.Count);
        Assert.EndsWith("last\n", launched.Worker.ReadOutputTail(), StringComparison.Ordinal);
        Assert.InRange(GC.GetTotalAllocatedBytes(precise: true) - managed, 0, 8L << 20);
        Assert.InRange(Environment.WorkingSet - before, long.MinValue, 32L << 20);

        // 100 MB at 64 MB/s: a flooder waits for the host, not the host for it.
        Assert.InRange(elapsed, TimeSpan.FromSeconds(1.4), TimeSpan.FromSeconds(20));
    }
}
