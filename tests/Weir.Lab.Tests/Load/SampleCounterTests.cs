using System.Globalization;
using System.Text;
using Weir.Lab.Load;

namespace Weir.Lab.Tests.Load;

public sealed class SampleCounterTests
{
    [Theory]
    [InlineData("[", ",", "]")]
    [InlineData("", "\n", "\n")]
    [InlineData("data: ", "\n\ndata: ", "\n\nid: $end\nevent: end\ndata: {\"count\":1200}\n\n")]
    public void Objects_are_counted_wherever_their_bytes_are_cut(string before, string between, string after)
    {
        var body = Encoding.UTF8.GetBytes(before + string.Join(between, Enumerable.Range(0, 1200).Select(Item)) + after);
        foreach (var step in new[] { 1, 7, 64, 300, body.Length })
        {
            var counter = new SampleCounter();
            for (var at = 0; at < body.Length; at += step)
                counter.Feed(body.AsSpan(at, Math.Min(step, body.Length - at)));
            Assert.Equal(1200, counter.Count());
        }
    }

    [Fact]
    public void One_that_is_left_out_is_noticed()
    {
        var counter = new SampleCounter();
        counter.Feed(Encoding.UTF8.GetBytes(Item(0) + Item(1) + Item(3)));
        Assert.Throws<InvalidDataException>(() => counter.Count());
    }

    [Fact]
    public void One_that_comes_twice_is_noticed()
    {
        var counter = new SampleCounter();
        counter.Feed(Encoding.UTF8.GetBytes(Item(0) + Item(1) + Item(1) + Item(1)));
        Assert.Throws<InvalidDataException>(() => counter.Count());
    }

    [Fact]
    public void A_body_without_objects_is_none() => Assert.Throws<InvalidDataException>(() => new SampleCounter().Count());

    private static string Item(int id) => string.Create(CultureInfo.InvariantCulture, $"{{\"id\":{id},\"name\":\"sensor\",\"value\":{id * 0.5}}}");
}
