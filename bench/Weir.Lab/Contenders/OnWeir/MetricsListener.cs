using System.Diagnostics.Metrics;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Listens to everything that Weir and the server measure, as an exporter would; it discards the values.</summary>
internal sealed class MetricsListener : IDisposable
{
    private readonly MeterListener _listener = new();

    public MetricsListener()
    {
        _listener.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument.Meter.Name.StartsWith("Weir", StringComparison.Ordinal))
                listener.EnableMeasurementEvents(instrument);
        };
        _listener.SetMeasurementEventCallback<long>(static (_, _, _, _) => { });
        _listener.SetMeasurementEventCallback<int>(static (_, _, _, _) => { });
        _listener.SetMeasurementEventCallback<double>(static (_, _, _, _) => { });
        _listener.Start();
    }

    public void Dispose() => _listener.Dispose();
}
