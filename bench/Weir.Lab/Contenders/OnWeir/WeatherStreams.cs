using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Document 000's producers as operations: asynchronous, blocking, and in a worker.</summary>
[Service("weather")]
public sealed class WeatherStreams
{
    [Get]
    public IAsyncEnumerable<Forecast> Stream(int days, int delay, CancellationToken ct = default) => Forecasts.StreamAsync(days, delay, ct);

    [Get, Stream]
    public IEnumerable<Forecast> Lazy(int days, int delay) => Forecasts.Lazy(days, delay);

    [Get, Isolated("weather")]
    public IAsyncEnumerable<Forecast> Isolated(int days, int delay, CancellationToken ct = default) => Forecasts.StreamAsync(days, delay, ct);

    /// <summary>What the producers in the worker did, for a pool of one.</summary>
    [Get, Isolated("weather")]
    public string IsolatedProduction() => Production.Line().ToString();
}
