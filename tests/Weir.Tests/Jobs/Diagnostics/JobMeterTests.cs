using System.Diagnostics.Metrics;
using Weir.Jobs.Diagnostics;
using Weir.Tests.Architecture;

namespace Weir.Tests.Jobs.Diagnostics;

/// <summary>The guide has the instruments of jobs.</summary>
public sealed class JobMeterTests
{
    [Fact]
    public void The_guide_has_every_instrument_with_its_kind_and_unit()
    {
        var instruments = new List<Instrument>();
        using var factory = new OneMeter();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, _) =>
        {
            if (instrument.Meter == factory.Meter)
            {
                instruments.Add(instrument);
            }
        };
        listener.Start();
        _ = new JobMeter(factory, static () => [], static () => { }, TimeProvider.System);

        // | `name` | kind | `unit` | … Those of intakes are held by the tests of their packages.
        var rows = Repository.Read("docs/guide/meters.md").Split('\n')
            .Where(static line => (line.StartsWith("| `weir.job.", StringComparison.Ordinal) && !line.StartsWith("| `weir.job.intake.", StringComparison.Ordinal)) || line.StartsWith("| `messaging.", StringComparison.Ordinal))
            .Select(static line => line.Split('|')).Where(static cells => cells.Length > 5)
            .Select(static cells => $"{Cell(cells[1])} {Cell(cells[2])} {Cell(cells[3])}");
        Assert.Equal(rows.Order(), instruments.Select(static one => $"{one.Name} {KindOf(one)} {one.Unit}").Order());
        Assert.All(instruments, static one => Assert.NotEmpty(one.Description!));

        static string Cell(string text) => text.Trim().Trim('`');
    }

    private static string KindOf(Instrument instrument) => instrument switch
    {
        Counter<long> => "counter",
        Histogram<double> or Histogram<int> => "histogram",
        ObservableGauge<double> => "gauge",
        _ => "up-down counter",
    };

    private sealed class OneMeter : IMeterFactory
    {
        public Meter Meter { get; } = new("Weir.Tests.Jobs");

        public Meter Create(MeterOptions options) => Meter;

        public void Dispose() => Meter.Dispose();
    }
}
