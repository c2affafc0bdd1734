using System.Runtime.CompilerServices;

namespace Weir.Generator.Tests.Behaviour;

// What a user writes: given to the generator as text. The integration tests compile it, too, and serve it over HTTP.

public enum Fruit
{
    Apple = 1,
    Orange = 2,
    Grape = 4,
}

public sealed record Forecast(DateOnly Date, int TemperatureC, string? Summary = null);

public sealed record Order(Fruit Fruit, int[] Amounts, List<Forecast> Forecasts, double? Price = null);

public interface IForecastSource
{
    Forecast Today(string city);
}

public sealed class FixedForecasts : IForecastSource
{
    public Forecast Today(string city) => new(new DateOnly(2026, 1, 31), 7, city.Length == 0 ? null : city);
}

[Service]
public sealed class Weather(IForecastSource source)
{
    [Get]
    public Forecast Today(string city) => source.Today(city);

    [Get]
    public async IAsyncEnumerable<Forecast> Next(int days = 100, [EnumeratorCancellation] CancellationToken ct = default)
    {
        for (var day = 0; day < days && !ct.IsCancellationRequested; day++)
        {
            await Task.Yield();
            yield return source.Today($"{day}");
        }
    }

    [Get, Stream]
    public IEnumerable<Forecast> NextBlocking(int days = 100)
    {
        for (var day = 0; day < days; day++)
        {
            yield return source.Today($"{day}");
        }
    }

    [Blocking]
    public string Legacy(int ms) => $"done {ms}";

    public int Total(Order order, int factor, [Microsoft.AspNetCore.Mvc.FromServices] IForecastSource extra, OperationContext context) =>
        factor * (order.Amounts.Sum() + order.Forecasts.Count + (extra is null || context is null ? 1000 : 0));

    public ValueTask Forget(Guid id, Fruit? fruit, string[] tags) =>
        id == Guid.Empty || fruit is null || tags.Length == 0 ? throw new InvalidOperationException("nothing to forget") : default;

    public async Task<int> Warmest(int least, IAsyncEnumerable<Forecast> readings, CancellationToken ct)
    {
        await foreach (var reading in readings.WithCancellation(ct))
        {
            least = Math.Max(least, reading.TemperatureC);
        }

        return least;
    }

    [IgnoreOperation]
    public void Hidden()
    {
    }
}

[Service]
public interface IHasher
{
    ValueTask<string> Hash(ReadOnlyMemory<byte> data, CancellationToken ct = default);

    IAsyncEnumerable<int> Blocks(int n, CancellationToken ct = default);

    IAsyncEnumerable<int> Sizes(IAsyncEnumerable<byte[]?> parts, CancellationToken ct = default);
}

[Isolated("hashing")]
public sealed class Hasher : IHasher
{
    public ValueTask<string> Hash(ReadOnlyMemory<byte> data, CancellationToken ct = default) => new($"{data.Length}");

    public async IAsyncEnumerable<int> Blocks(int n, [EnumeratorCancellation] CancellationToken ct = default)
    {
        for (var block = 0; block < n; block++)
        {
            await Task.Yield();
            yield return block;
        }
    }

    public async IAsyncEnumerable<int> Sizes(IAsyncEnumerable<byte[]?> parts, [EnumeratorCancellation] CancellationToken ct = default)
    {
        await foreach (var part in parts)
        {
            yield return part?.Length ?? -1;
        }
    }
}
