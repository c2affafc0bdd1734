using System.Text;
using Weir.Execution.Processes;

namespace Weir.Tests.Processes;

public class OutputTailTests
{
    [Fact]
    public void Keeps_everything_up_to_its_capacity_and_the_last_bytes_beyond()
    {
        // Sizes that hit the ring's seams: one byte before, on and after the capacity, and several rounds.
        foreach (var chunk in new[] { 1, 1000, OutputTail.Capacity - 1, OutputTail.Capacity, OutputTail.Capacity + 1, 200_000 })
        {
            var tail = new OutputTail();
            var written = new StringBuilder();
            for (var i = 0; written.Length < 3 * OutputTail.Capacity + 17; i++)
            {
                var text = new string((char)('a' + (i % 26)), chunk);
                tail.Append(Encoding.UTF8.GetBytes(text));
                written.Append(text);
                if (chunk > 1)
                {
                    Assert.Equal(Last(written), tail.ToString());
                }
            }

            Assert.Equal(Last(written), tail.ToString());
        }
    }

    [Fact]
    public void Nothing_printed_is_an_empty_text() => Assert.Equal("", new OutputTail().ToString());

    private static string Last(StringBuilder text) =>
        text.ToString(Math.Max(0, text.Length - OutputTail.Capacity), Math.Min(text.Length, OutputTail.Capacity));
}
