using Weir.Lab.Engine;
using Weir.Lab.Measuring;

namespace Weir.Lab.Load;

/// <summary>Reads a stream of forecasts to its end and says when its items came.</summary>
internal static class StreamReading
{
    /// <summary>Over a plain socket.</summary>
    public static Task<Round> RawAsync(int port, string path, int items) => Task.Factory.StartNew(
        () =>
        {
            var clock = new ItemClock();
            using var stream = RawStream.Get(port, path);
            stream.Read(clock.Feed);
            return RoundOf(clock, stream.SentAt, items);
        },
        CancellationToken.None,
        TaskCreationOptions.LongRunning,
        TaskScheduler.Default);

    /// <summary>Through <c>HttpClient</c>, for what a plain socket does not speak.</summary>
    public static async Task<Round> ClientAsync(HttpClient client, Uri address, int items, CancellationToken cancellation)
    {
        var clock = new ItemClock();
        var sent = Clock.Now;
        using var response = await client.GetAsync(address, HttpCompletionOption.ResponseHeadersRead, cancellation);
        await using var body = await response.Content.ReadAsStreamAsync(cancellation);
        var buffer = new byte[64 * 1024];
        while (await body.ReadAsync(buffer, cancellation) is > 0 and var length)
            clock.Feed(buffer.AsSpan(0, length), Clock.Now);
        return RoundOf(clock, sent, items);
    }

    private static Round RoundOf(ItemClock clock, long sent, int items)
    {
        if (clock.Items != items)
            throw new InvalidDataException($"{clock.Items} items came, not {items}.");

        return new Round()
            .Add("TTFB", Clock.MillisecondsBetween(sent, clock.FirstAt), "ms")
            .Add("total", Clock.MillisecondsBetween(sent, Clock.Now), "ms")
            .Add("item age p50", clock.Age.Milliseconds(50), "ms")
            .Add("item age max", clock.Age.Milliseconds(100), "ms");
    }
}
