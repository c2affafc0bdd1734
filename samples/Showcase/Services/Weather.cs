using System.Runtime.CompilerServices;
using Weir;

namespace Showcase;

/// <summary>The same forecasts in every way a method can give them: one, a stream of three kinds, and an array at the end.</summary>
[Service]
public sealed class Weather(IForecastSource source, ProducerCounts producers)
{
    [Get]
    public Forecast Today(string city) => source.Today(city);

    [Get]
    public IAsyncEnumerable<Forecast> Next(int days = 100, int delay = 20, CancellationToken ct = default) => Produce(days, delay, ct);

    [Get, Stream]
    public IEnumerable<Forecast> NextBlocking(int days = 100, int delay = 20, CancellationToken ct = default)
    {
        RequireSense(days, delay);
        using var producer = producers.Start(ct);
        for (var day = 1; day <= days; day++)
        {
            // Looks at no token: Weir stops it between two items.
            Thread.Sleep(delay);
            yield return source.After(day);
        }

        producer.Finish();
    }

    [Get, Blocking]
    public Forecast[] NextArray(int days = 100, int delay = 20)
    {
        Require.Gatherable(days);
        Require.NotNegative(delay);
        var forecasts = new Forecast[days];
        for (var day = 1; day <= days; day++)
        {
            Thread.Sleep(delay);
            forecasts[day - 1] = source.After(day);
        }

        return forecasts;
    }

    [Get, Isolated("weather"), NotesDisconnect]
    public IAsyncEnumerable<Forecast> NextIsolated(int days = 100, int delay = 20, CancellationToken ct = default) => Produce(days, delay, ct);

    [Get]
    public async IAsyncEnumerable<Forecast> Fail(int after)
    {
        for (var day = 1; day <= after; day++)
        {
            await Task.Yield();
            yield return source.After(day);
        }

        throw new ForecastUnavailableException($"There is no forecast after {after} days.");
    }

    /// <summary>Counts the streams of this host and of its workers; arrays and <see cref="Fail"/> are not counted.</summary>
    [Get]
    public StopReport Stopped() => producers.Report();

    private static void RequireSense(int days, int delay)
    {
        Require.NotNegative(days);
        Require.NotNegative(delay);
    }

    private async IAsyncEnumerable<Forecast> Produce(int days, int delay, [EnumeratorCancellation] CancellationToken ct)
    {
        RequireSense(days, delay);
        using var producer = producers.Start(ct);
        for (var day = 1; day <= days; day++)
        {
            await Task.Delay(delay, producer.Token);
            yield return source.After(day);
        }

        producer.Finish();
    }
}

public sealed class ForecastUnavailableException(string message) : Exception(message);
