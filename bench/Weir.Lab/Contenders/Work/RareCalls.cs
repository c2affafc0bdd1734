using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.Work;

/// <summary>Calls of many kinds, each kind rarely: evenly spread, the kinds in an order of no meaning.</summary>
internal static class RareCalls
{
    // The same order in every run.
    private const int Seed = 20260101;

    /// <summary><c>perMinute</c> of each kind, for <c>seconds</c>; a call that is late keeps none waiting.</summary>
    public static async Task<IEnumerable<ControlLine>> RunAsync(int kinds, ControlLine request, Func<int, Task> call)
    {
        var order = Enumerable.Range(0, kinds).ToArray();
        new Random(Seed).Shuffle(order);
        var between = 60 / (kinds * request.Number("perMinute"));
        var seconds = request.Number("seconds");
        var calls = new List<Task<double>>();
        var began = Clock.Now;
        for (var number = 0; number * between < seconds; number++)
        {
            var wait = (number * between) - Clock.SecondsSince(began);
            if (wait > 0)
                await Task.Delay(TimeSpan.FromSeconds(wait));
            calls.Add(TimedAsync(call, order[number % kinds]));
        }

        var milliseconds = await Task.WhenAll(calls);
        var first = milliseconds.Take(kinds).Order().ToArray();
        return
        [
            Readings.Reading("calls", calls.Count, ""),
            Readings.Reading("first call p50", first[first.Length / 2], "ms"),
            Readings.Reading("first call max", first[^1], "ms"),
            Readings.Done(),
        ];
    }

    private static async Task<double> TimedAsync(Func<int, Task> call, int kind)
    {
        var began = Clock.Now;
        await Task.Run(() => call(kind));
        return Clock.SecondsSince(began) * 1_000;
    }
}
