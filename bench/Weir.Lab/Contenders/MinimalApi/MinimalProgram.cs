using System.Net.ServerSentEvents;
using System.Runtime.CompilerServices;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Weir.Lab.Contenders.Hosting;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.MinimalApi;

/// <summary>Minimal API: the framework's own lean way.</summary>
internal sealed class MinimalProgram : WebProgram
{
    protected override void Map(WebApplication application, ControlLine settings)
    {
        application.MapGet("/hello/world", () => "Hello, world");
        application.MapGet("/perf/echo", (string name, int x, int y, Fruit e) => Echo.Of(name, x, y, e));
        application.MapPost("/uploads/size", SizeAsync);
        application.MapPost("/uploads/order", (Order order) => order.Pieces());
        application.MapPost("/uploads/sum", SumAsync);
        application.MapGet("/weather/stream", (int days, int delay, CancellationToken cancellation) => Forecasts.StreamAsync(days, delay, cancellation));
        application.MapGet("/guids/stream", (int count, bool constant) => Guids.StreamAsync(count, constant));
        application.MapGet("/sleep/aio", (int ms) => Sleeping.AioAsync(ms));
        application.MapGet("/sleep/bio", (int ms) => Sleeping.Bio(ms));
        application.MapGet("/samples/array", (int count, int ms, CancellationToken cancellation) => Sample.StreamAsync(count, ms, cancellation));
        application.MapGet("/samples/sse", (int count, int ms, CancellationToken cancellation) =>
            TypedResults.ServerSentEvents(EventsAsync(Sample.StreamAsync(count, ms, cancellation), cancellation)));
        application.MapGet("/samples/ndjson", (int count, int ms, HttpContext context) => HandWritten.LinesAsync(Sample.StreamAsync(count, ms, context.RequestAborted), context));
        application.MapGet("/samples/events", (int count, int ms, HttpContext context) => HandWritten.EventsAsync(Sample.StreamAsync(count, ms, context.RequestAborted), context));
        application.MapGet("/samples/fail", (int after, CancellationToken cancellation) => Sample.FailAsync(after, cancellation));
        application.MapGet("/samples/fail.sse", (int after, CancellationToken cancellation) =>
            TypedResults.ServerSentEvents(EventsAsync(Sample.FailAsync(after, cancellation), cancellation)));
        application.MapGet("/samples/fail.ndjson", (int after, HttpContext context) => HandWritten.LinesAsync(Sample.FailAsync(after, context.RequestAborted), context));
        application.MapGet("/writes", (int count, bool isLong, bool sync, bool buffered, HttpContext context) =>
            LineWrites.WriteAsync(context.Features, count, isLong, sync, buffered));
        application.MapBrowserPage();
    }

    // The framework binds the stream of a body, never its bytes: what people write by hand.
    private static async Task<long> SizeAsync(Stream body)
    {
        using var whole = new MemoryStream();
        await body.CopyToAsync(whole);
        return whole.Length;
    }

    // Items as they come, which the framework has for JSON arrays.
    private static async Task<long> SumAsync(Stream body)
    {
        var sum = 0L;
        await foreach (var number in JsonSerializer.DeserializeAsyncEnumerable<int>(body))
            sum += number;
        return sum;
    }

    private static async IAsyncEnumerable<SseItem<Sample>> EventsAsync(
        IAsyncEnumerable<Sample> samples, [EnumeratorCancellation] CancellationToken cancellation)
    {
        await foreach (var sample in samples.WithCancellation(cancellation))
            yield return new SseItem<Sample>(sample);
    }
}
