using System.Diagnostics.Metrics;
using Weir.Execution.Diagnostics;

namespace Weir.Tests.Execution;

/// <summary>A meter of one test, and what its listener receives.</summary>
internal sealed class RecordedMeter : IDisposable
{
    private readonly Meter _meter = new(WeirMeter.Name);
    private readonly MeterListener _listener = new();
    private readonly Dictionary<string, long> _counts = new(StringComparer.Ordinal);

    /// <param name="measures">Whether there is a listener for the histograms too.</param>
    public RecordedMeter(bool measures = true)
    {
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter == _meter)
            {
                Instruments.Add(instrument);
                if (measures || instrument is not Histogram<double>)
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            }
        };
        _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => _counts[Name(instrument, tags)] = value);
        _listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) =>
        {
            lock (Times)
            {
                Times.Add((Name(instrument, tags), value));
            }
        });
        _listener.Start();
        Weir = new WeirMeter(_meter);
    }

    public WeirMeter Weir { get; }

    public List<Instrument> Instruments { get; } = [];

    /// <summary>The values that histograms recorded.</summary>
    public List<(string Name, double Seconds)> Times { get; } = [];

    /// <summary>The current values of counters and gauges, by <c>instrument tag tag</c>.</summary>
    public IReadOnlyDictionary<string, long> Collect()
    {
        _counts.Clear();
        _listener.RecordObservableInstruments();
        return _counts;
    }

    public void Dispose()
    {
        _listener.Dispose();
        _meter.Dispose();
    }

    private static string Name(Instrument instrument, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        var name = instrument.Name;
        foreach (var (_, value) in tags)
        {
            name += $" {value}";
        }

        return name;
    }
}
