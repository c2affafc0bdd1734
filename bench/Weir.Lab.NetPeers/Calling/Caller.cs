using System.Diagnostics;
using System.Globalization;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.NetPeers.Calling;

/// <summary>A program that calls a server in one of several ways, one call at a time, or reads its streams.</summary>
internal static class Caller
{
    /// <summary><c>way</c> is one of <see cref="CallWays"/> or of <see cref="StreamWays"/>; each request has the server's <c>url</c>.</summary>
    public static Task RunAsync(ControlLine settings)
    {
        var way = settings["way"];
        using var http = new HttpClient();
        PeerLoop.Run(new ControlLine("ready"), async request =>
        {
            http.BaseAddress ??= new Uri(request["url"]);
            return (request.Verb, request["what"]) switch
            {
                ("answer", "calls") => Answer((await CallWays.Named(way, http)(41)).ToString()),
                ("answer", "all") => Answer(string.Join(' ', await StreamWays.All(way, http, 100).ToListAsync())),
                ("answer", "sent") => Answer(string.Join(' ', await StreamWays.Sent(way, http, 3, 1).Select(static item => item.Id).ToListAsync())),
                ("run", "calls") => await CallAsync(CallWays.Named(way, http), request.Int("count")),
                ("run", "all") => await ReadAsync(way, http, request.Int("count")),
                ("run", "sent") => await AgeAsync(way, http, request),
                _ => throw new NotSupportedException($"The caller does not know '{request.Verb}' of '{request["what"]}'."),
            };
        });
        return Task.CompletedTask;
    }

    private static IEnumerable<ControlLine> Answer(string text) => [new ControlLine("ok").With("answer", text)];

    private static async Task<IEnumerable<ControlLine>> CallAsync(Func<int, Task<Echo>> call, int count)
    {
        var sum = 0L;
        var allocated = GC.GetTotalAllocatedBytes(precise: true);
        var began = Clock.Now;
        for (var i = 0; i < count; i++)
            sum += (await call(i)).Sum;
        var seconds = Clock.SecondsSince(began);
        allocated = GC.GetTotalAllocatedBytes(precise: true) - allocated;
        if (sum != (long)count * (count + 1) / 2)
            throw new InvalidDataException($"The sums of {count} calls are {sum}.");

        return [Readings.Reading("call", seconds * 1e6 / count, "µs"), Readings.Reading("allocated", (double)allocated / count, "B"), Readings.Done()];
    }

    private static async Task<IEnumerable<ControlLine>> ReadAsync(string way, HttpClient http, int count)
    {
        var (items, read) = (StreamWays.All(way, http, count), 0);
        var allocated = GC.GetTotalAllocatedBytes(precise: true);
        var processor = Process.GetCurrentProcess().TotalProcessorTime;
        var began = Clock.Now;
        var first = 0L;
        await foreach (var item in items)
        {
            first = first == 0 ? Clock.Now : first;
            if (item.Id != read++)
                throw new InvalidDataException(string.Create(CultureInfo.InvariantCulture, $"Item {item.Id} came as number {read - 1}."));
        }

        var seconds = Clock.SecondsSince(began);
        if (read != count)
            throw new InvalidDataException($"{read} of {count} items came.");

        return
        [
            Readings.Reading("objects/s", count / seconds, "1/s"),
            Readings.Reading("processor time", (Process.GetCurrentProcess().TotalProcessorTime - processor).TotalNanoseconds / count, "ns"),
            Readings.Reading("allocated", (double)(GC.GetTotalAllocatedBytes(precise: true) - allocated) / count, "B"),
            Readings.Reading("first object", Clock.MillisecondsBetween(began, first), "ms"),
            Readings.Done(),
        ];
    }

    private static async Task<IEnumerable<ControlLine>> AgeAsync(string way, HttpClient http, ControlLine request)
    {
        var ages = new List<double>();
        await foreach (var item in StreamWays.Sent(way, http, request.Int("count"), request.Int("delay")))
            ages.Add(Clock.MillisecondsBetween(item.SentAt, Clock.Now));
        ages.Sort();
        return [Readings.Reading("age p50", ages[ages.Count / 2], "ms"), Readings.Reading("age p99", ages[(int)(ages.Count * 0.99)], "ms"), Readings.Done()];
    }
}
