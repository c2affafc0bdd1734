using Weir.Execution.Observation;

namespace Weir.Tests.Observation;

public sealed class LatencyBucketsTests
{
    [Fact]
    public void There_are_eight_buckets_for_each_power_of_two_from_a_microsecond_to_more_than_an_hour()
    {
        Assert.Equal(0, LatencyBuckets.IndexOf(TimeSpan.FromMicroseconds(1)));
        Assert.Equal(8, LatencyBuckets.IndexOf(TimeSpan.FromMicroseconds(2)));
        Assert.Equal(16, LatencyBuckets.IndexOf(TimeSpan.FromMicroseconds(4)));
        Assert.Equal(80, LatencyBuckets.IndexOf(TimeSpan.FromMicroseconds(1024)));
        Assert.InRange(LatencyBuckets.IndexOf(TimeSpan.FromHours(1)), 248, 254);
    }

    [Fact]
    public void A_time_outside_of_all_buckets_is_in_the_first_or_in_the_last()
    {
        Assert.Equal(0, LatencyBuckets.IndexOf(TimeSpan.FromTicks(-5)));
        Assert.Equal(0, LatencyBuckets.IndexOf(TimeSpan.Zero));
        Assert.Equal(0, LatencyBuckets.IndexOf(TimeSpan.FromTicks(9)));
        Assert.Equal(255, LatencyBuckets.IndexOf(TimeSpan.FromHours(2)));
        Assert.Equal(255, LatencyBuckets.IndexOf(TimeSpan.MaxValue));
    }

    [Fact]
    public void The_middle_of_its_bucket_is_at_most_6_3_percent_off_any_time()
    {
        var index = 0;
        for (var ticks = 10L; ticks < TimeSpan.FromMinutes(71).Ticks; ticks += Math.Max(1, ticks / 700))
        {
            var next = LatencyBuckets.IndexOf(new TimeSpan(ticks));
            Assert.InRange(next, index, index + 1);
            index = next;
            Assert.InRange(LatencyBuckets.SecondsOf(index) / new TimeSpan(ticks).TotalSeconds, 1 - 0.063, 1 + 0.063);
        }

        Assert.Equal(255, index);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Percentiles_are_at_most_6_3_percent_off_the_exact_ones(int seed)
    {
        var random = new Random(seed);
        var buckets = new LatencyBuckets(stripes: 4);
        var times = Enumerable.Range(0, 10_000).Select(_ => TimeSpan.FromMicroseconds(Math.Exp(random.NextDouble() * 18) + 1)).ToArray();
        foreach (var time in times)
        {
            buckets.Add(time);
        }

        var distribution = new LatencyDistribution();
        distribution.Add(LatencyInterval.Between(new uint[LatencyBuckets.Count], Read(buckets)));
        Array.Sort(times);
        Assert.Equal(times.Length, distribution.Total);
        foreach (var part in new[] { 0, 0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 1 })
        {
            var exact = times[Math.Max(0, (int)Math.Ceiling(part * times.Length) - 1)];
            Assert.InRange(distribution.Percentile(part)!.Value / exact.TotalSeconds, 1 - 0.063, 1 + 0.063);
        }
    }

    [Fact]
    public void Percentiles_of_an_interval_know_nothing_of_what_was_before_it()
    {
        var buckets = new LatencyBuckets(stripes: 1);
        Add(buckets, TimeSpan.FromSeconds(10), 1000);
        var before = Read(buckets);
        Add(buckets, TimeSpan.FromMilliseconds(1), 10);
        var distribution = new LatencyDistribution();
        distribution.Add(LatencyInterval.Between(before, Read(buckets)));
        Assert.Equal(10, distribution.Total);
        Assert.InRange(1000 * distribution.Percentile(1)!.Value, 0.93, 1.07);
    }

    [Fact]
    public void Intervals_add_up_to_the_time_that_they_cover()
    {
        var buckets = new LatencyBuckets(stripes: 2);
        var distribution = new LatencyDistribution();
        var before = Read(buckets);
        for (var i = 0; i < 6; i++)
        {
            Add(buckets, TimeSpan.FromMilliseconds(i < 5 ? 1 : 100), 10);
            var after = Read(buckets);
            distribution.Add(LatencyInterval.Between(before, after));
            before = after;
        }

        Assert.Equal(60, distribution.Total);
        Assert.InRange(1000 * distribution.Percentile(0.5)!.Value, 0.93, 1.07);
        Assert.InRange(1000 * distribution.Percentile(0.99)!.Value, 93, 107);
        distribution.Clear();
        Assert.Equal(0, distribution.Total);
    }

    [Fact]
    public void Without_a_call_there_is_no_percentile_and_an_interval_uses_no_memory()
    {
        var interval = LatencyInterval.Between(new uint[LatencyBuckets.Count], new uint[LatencyBuckets.Count]);
        var distribution = new LatencyDistribution();
        distribution.Add(interval);
        Assert.Equal(0, interval.Bytes);
        Assert.Null(distribution.Percentile(0.5));
    }

    [Fact]
    public void Counts_that_wrapped_and_counts_of_many_millions_are_exact()
    {
        var before = new uint[LatencyBuckets.Count];
        var after = new uint[LatencyBuckets.Count];
        (before[7], after[7]) = (uint.MaxValue - 4, 5);
        (before[255], after[255]) = (1, 100_000_001);
        var interval = LatencyInterval.Between(before, after);
        var distribution = new LatencyDistribution();
        distribution.Add(interval);
        Assert.Equal(100_000_010, distribution.Total);
        Assert.Equal(7 * sizeof(uint), interval.Bytes);
    }

    [Fact]
    public void Adding_allocates_nothing_and_loses_nothing()
    {
        var buckets = new LatencyBuckets();
        Assert.InRange(buckets.Bytes, 1024, 4096);
        var allocated = GC.GetAllocatedBytesForCurrentThread();
        Add(buckets, TimeSpan.FromMilliseconds(3), 1000);
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - allocated);

        Parallel.For(0, 4, _ => Add(buckets, TimeSpan.FromMilliseconds(3), 10_000));
        Assert.Equal(41_000u, Read(buckets)[LatencyBuckets.IndexOf(TimeSpan.FromMilliseconds(3))]);
    }

    private static void Add(LatencyBuckets buckets, TimeSpan time, int calls)
    {
        for (var i = 0; i < calls; i++)
        {
            buckets.Add(time);
        }
    }

    private static uint[] Read(LatencyBuckets buckets)
    {
        var counts = new uint[LatencyBuckets.Count];
        buckets.Read(counts);
        return counts;
    }
}
