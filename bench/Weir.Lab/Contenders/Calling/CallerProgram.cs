using System.Diagnostics;
using System.Globalization;
using Weir.Lab.Contenders.Hosting;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.Calling;

/// <summary>A program that calls a server in one of several ways, one call at a time, or reads its streams.</summary>
internal sealed class CallerProgram : ContenderProgram
{
    private HttpClient? _http;
    private string _way = "";

    public override Task<ControlLine> StartAsync(ControlLine settings)
    {
        _way = settings["way"];
        return base.StartAsync(settings);
    }

    public override async Task RunAsync(ControlLine request, Round round)
    {
        switch (request["what"])
        {
            case "calls":
                await CallAsync(request, round);
                break;
            case "all":
                await ReadAsync(request, round);
                break;
            default:
                await AgeAsync(request, round);
                break;
        }
    }

    public override async Task<ControlLine> AskAsync(ControlLine request)
    {
        if (request.Verb != "answer")
            return await base.AskAsync(request);

        return new ControlLine("ok").With("answer", request["what"] switch
        {
            "calls" => (await CallWays.Named(_way, Http(request))(41)).ToString(),
            "all" => string.Join(' ', await StreamWays.All(_way, Http(request), 100).ToListAsync()),
            _ => string.Join(' ', await StreamWays.Sent(_way, Http(request), 3, 1).Select(static item => item.Id).ToListAsync()),
        });
    }

    public override ValueTask DisposeAsync()
    {
        _http?.Dispose();
        return base.DisposeAsync();
    }

    private HttpClient Http(ControlLine request) => _http ??= new HttpClient { BaseAddress = new Uri(request["url"]) };

    private async Task CallAsync(ControlLine request, Round round)
    {
        var (call, count) = (CallWays.Named(_way, Http(request)), request.Int("count"));
        var sum = 0L;
        var allocated = GC.GetTotalAllocatedBytes(precise: true);
        var began = Clock.Now;
        for (var i = 0; i < count; i++)
            sum += (await call(i)).Sum;
        var seconds = Clock.SecondsSince(began);
        allocated = GC.GetTotalAllocatedBytes(precise: true) - allocated;
        if (sum != (long)count * (count + 1) / 2)
            throw new InvalidDataException($"The sums of {count} calls are {sum}.");

        round.Add("call", seconds * 1e6 / count, "µs").Add("allocated", (double)allocated / count, "B");
    }

    private async Task ReadAsync(ControlLine request, Round round)
    {
        var (items, count, read) = (StreamWays.All(_way, Http(request), request.Int("count")), request.Int("count"), 0);
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

        round.AddRate("objects/s", count, seconds)
            .Add("processor time", (Process.GetCurrentProcess().TotalProcessorTime - processor).TotalNanoseconds / count, "ns")
            .Add("allocated", (double)(GC.GetTotalAllocatedBytes(precise: true) - allocated) / count, "B")
            .Add("first object", Clock.MillisecondsBetween(began, first), "ms");
    }

    private async Task AgeAsync(ControlLine request, Round round)
    {
        var ages = new List<double>();
        await foreach (var item in StreamWays.Sent(_way, Http(request), request.Int("count"), request.Int("delay")))
            ages.Add(Clock.MillisecondsBetween(item.SentAt, Clock.Now));
        ages.Sort();
        round.Add("age p50", ages[ages.Count / 2], "ms").Add("age p99", ages[(int)(ages.Count * 0.99)], "ms");
    }
}
