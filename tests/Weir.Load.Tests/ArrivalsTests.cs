using Weir.Load.Measuring;

namespace Weir.Load.Tests;

public sealed class ArrivalsTests
{
    [Fact]
    public void Constant_arrivals_have_equal_gaps_and_begin_at_once()
    {
        var arrivals = Arrivals.Constant(100);
        Assert.Equal([0, 0.01, 0.02, 0.03], Take(arrivals, 4));
    }

    [Fact]
    public void Gaps_of_Poisson_arrivals_are_exponentially_distributed()
    {
        var gaps = Gaps(Take(Arrivals.Poisson(1_000, new Random(7)), 200_000));
        var mean = gaps.Average();
        var deviation = Math.Sqrt(gaps.Average(gap => (gap - mean) * (gap - mean)));

        // Of an exponential distribution the deviation is the mean, and e⁻¹ of the gaps are longer than it.
        Assert.InRange(mean, 0.00099, 0.00101);
        Assert.InRange(deviation / mean, 0.98, 1.02);
        Assert.InRange(gaps.Count(gap => gap > mean) / (double)gaps.Length, Math.Exp(-1) - 0.01, Math.Exp(-1) + 0.01);
        Assert.DoesNotContain(gaps, static gap => gap < 0);
    }

    [Fact]
    public void Poisson_arrivals_of_one_seed_are_the_same()
    {
        Assert.Equal(Take(Arrivals.Poisson(50, new Random(3)), 100), Take(Arrivals.Poisson(50, new Random(3)), 100));
        Assert.NotEqual(Take(Arrivals.Poisson(50, new Random(3)), 100), Take(Arrivals.Poisson(50, new Random(4)), 100));
    }

    [Fact]
    public void Spread_arrivals_stay_in_their_share_of_the_time()
    {
        var arrivals = Take(Arrivals.Spread(10), 1_000);
        Assert.All(arrivals.Select(static (due, number) => (due * 10) - number), static place => Assert.InRange(place, 0, 1));
    }

    [Theory]
    [InlineData(2.5, long.MaxValue, 25)]
    [InlineData(2.5, 7, 7)]
    public void A_schedule_ends_with_the_duration_or_the_number(double seconds, long most, int count)
    {
        var schedule = new Schedule(Arrivals.Constant(10), begin: 1_000, TimeSpan.FromSeconds(seconds), most);
        var taken = 0;
        while (schedule.Next != long.MaxValue)
        {
            Assert.Equal(1_000 + Stamp.Ticks(taken / 10.0), schedule.Take());
            taken++;
        }

        Assert.Equal(count, taken);
    }

    private static double[] Take(Arrivals arrivals, int count) => [.. Enumerable.Range(0, count).Select(_ => arrivals.Next())];

    private static double[] Gaps(double[] dues) => [.. dues.Zip(dues.Skip(1), static (one, next) => next - one)];
}
