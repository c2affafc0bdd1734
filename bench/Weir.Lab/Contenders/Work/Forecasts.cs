using System.Runtime.CompilerServices;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.Work;

/// <summary>The producers of document 000. Values follow from the index, so that answers can be compared.</summary>
internal static class Forecasts
{
    private static readonly DateOnly First = new(2021, 11, 20);

    private static readonly string[] Summaries =
        ["Freezing", "Bracing", "Chilly", "Cool", "Mild", "Warm", "Balmy", "Hot", "Sweltering", "Scorching"];

    /// <summary>An asynchronous producer that heeds its token.</summary>
    public static async IAsyncEnumerable<Forecast> StreamAsync(int days, int delay, [EnumeratorCancellation] CancellationToken cancellation = default)
    {
        Production.Started();
        await using var registration = cancellation.Register(Production.Cancelled);
        try
        {
            for (var i = 0; i < days; i++)
            {
                if (delay > 0)
                    await Task.Delay(delay, cancellation);
                yield return Make(i);
            }
        }
        finally
        {
            Production.Ended();
        }
    }

    /// <summary>The document's: it asks between items whether the caller has disconnected, and waits without a token.</summary>
    public static async IAsyncEnumerable<Forecast> CheckedAsync(int days, int delay, Func<bool> hasLeft)
    {
        Production.Started();
        try
        {
            for (var i = 0; i < days; i++)
            {
                if (hasLeft())
                {
                    Production.Logged("Request Aborted");
                    break;
                }

                await Task.Delay(delay, CancellationToken.None);
                yield return Make(i);
            }
        }
        finally
        {
            Production.Ended();
        }
    }

    /// <summary>A blocking producer that yields.</summary>
    public static IEnumerable<Forecast> Lazy(int days, int delay)
    {
        Production.Started();
        try
        {
            for (var i = 0; i < days; i++)
            {
                if (delay > 0)
                    Thread.Sleep(delay);
                yield return Make(i);
            }
        }
        finally
        {
            Production.Ended();
        }
    }

    /// <summary>A blocking producer that gives everything at the end.</summary>
    public static Forecast[] Array(int days, int delay) => [.. Lazy(days, delay)];

    public static Forecast Make(int index)
    {
        Production.Produced();
        return new Forecast(First.AddDays(index), (index * 7 % 75) - 20, Summaries[index % Summaries.Length], Clock.Now);
    }
}
