using System.Text;
using Weir.Generator.Tests.Behaviour;
using Weir.Generator.Tests.Driving;
using Weir.Runtime;
using Xunit;

namespace Weir.Generator.Tests.Json;

/// <summary>Whatever a caller sends, binding ends in errors or in a value, never in an exception.</summary>
public sealed class MutationTests
{
    private const int Rounds = 4000;

    private static readonly byte[] Good = Encoding.UTF8.GetBytes(
        """{"order":{"fruit":"Apple","amounts":[1,-2,3],"forecasts":[{"date":"2026-01-31","temperatureC":7,"summary":"\u00e9x"}],"price":1.5},"factor":2,"other":{"a":[true,null]}}""");

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Broken_bytes_are_faults(int seed)
    {
        var random = new Random(seed);
        var served = new Served(SampleServices.Catalog);
        var bound = 0;
        for (var round = 0; round < Rounds; round++)
        {
            var bytes = Mutate(random);
            var call = served.Create("Weather/Total");
            var errors = new BindingErrorList { RefuseUnknown = round % 2 == 0 };
            call.Bind(new JsonArgumentReader(bytes, "body", errors));
            if (errors.Count > 0)
            {
                continue;
            }

            bound++;
            var again = served.Json("Weather/Total", new Binding(call, []).Values);
            Assert.Equal(new Binding(call, []).Values, again.Good().Values);
        }

        Assert.InRange(bound, 1, Rounds - 1);
    }

    // One to three changes: a byte replaced, removed, or a piece said twice.
    private static byte[] Mutate(Random random)
    {
        var bytes = new List<byte>(Good);
        for (var changes = random.Next(1, 4); changes > 0; changes--)
        {
            var at = random.Next(bytes.Count);
            switch (random.Next(4))
            {
                case 0:
                    bytes[at] = (byte)random.Next(256);
                    break;
                case 1:
                    bytes[at] = (byte)"{}[],:\"\\0123456789-.eEtfnu"[random.Next(26)];
                    break;
                case 2:
                    bytes.RemoveAt(at);
                    break;
                default:
                    bytes.InsertRange(at, bytes.GetRange(at, Math.Min(random.Next(1, 20), bytes.Count - at)));
                    break;
            }
        }

        return [.. bytes];
    }
}
