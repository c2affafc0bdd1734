using Weir.Lab.Engine;

namespace Weir.Lab.Experiments;

/// <summary>The four tables of document 002, from the document's machine. Its times are computed from its iterations per second, which it gives for all.</summary>
internal static class FanOutFigures
{
    private static readonly (string Case, string Contender, double PerSecond, int Allocated, int Objects, int Retained)[] Figures =
    [
        ("one after the other", "document 1: Net::HTTP", 0.173, 2_276_040, 1_656, 5_416),
        ("one after the other", "document 2: Net::HTTP", 0.116, 9_084_994, 5_827, 12_385),
        ("one after the other", "document 3: Net::HTTP in fibers", 0.153, 633_129, 5_040, 8_289),
        ("one after the other", "document 3: Net::HTTP", 0.104, 9_056_946, 5_834, 11_527),
        ("one after the other", "document 3: Net::HTTP, keep-alive", 0.109, 4_776_761, 4_794, 11_078),
        ("one after the other", "document 4: Net::HTTP", 0.247, 9_019_075, 5_476, 11_607),
        ("one after the other", "document 4: Net::HTTP, keep-alive", 0.314, 5_796_367, 4_568, 9_899),
        ("plain", "document 1: fibers, small reads", 0.173, 1_146_951, 5_681, 55_746),
        ("plain", "document 1: Net::HTTP threads", 0.162, 5_457_467, 1_876, 5_343),
        ("plain", "document 2: Net::HTTP threads", 0.162, 17_466_200, 5_849, 11_139),
        ("plain", "document 3: Net::HTTP threads", 0.145, 17_440_446, 5_874, 11_047),
        ("plain", "document 4: Net::HTTP on fibers", 0.32, 8_737_780, 2_893, 148_484),
        ("plain", "document 4: Net::HTTP threads", 0.365, 17_436_128, 5_522, 10_764),
        ("plain, keep-alive", "document 2: fibers, large reads", 0.152, 83_919, 279, 1_162),
        ("plain, keep-alive", "document 4: Net::HTTP on fibers", 0.469, 4_490_290, 1_860, 72_864),
        ("plain, keep-alive", "document 4: Net::HTTP threads", 0.393, 8_989_723, 4_805, 10_812),
    ];

    public static IEnumerable<Row> Of(string @case) =>
        from figure in Figures
        where figure.Case == @case
        from row in new[]
        {
            ("time", 1 / figure.PerSecond, "s"),
            ("iterations/s", figure.PerSecond, "1/s"),
            ("allocated", figure.Allocated, "B"),
            ("objects", figure.Objects, ""),
            ("retained", figure.Retained, "B"),
        }
        select Row.Fixed(figure.Contender, @case, row.Item1, row.Item2, row.Item3);
}
