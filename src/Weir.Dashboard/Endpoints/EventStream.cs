using System.Buffers;
using System.Globalization;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Weir.Dashboard.Streaming;
using Weir.Execution.Observation.Records;

namespace Weir.Dashboard.Endpoints;

/// <summary>
/// Answers with server-sent events: <c>hello</c> first, <c>event</c> for each thing that happened to a worker, <c>tick</c> once a second with everything that is seen, and <c>end</c>. A viewer that is slow misses ticks, and no events that are
/// kept.
/// </summary>
/// <param name="dashboard">The application.</param>
/// <param name="greeting">What comes first.</param>
internal sealed class EventStream(DashboardHost dashboard, Greeting greeting)
{
    // Who may see it is decided again by the next request.
    private static readonly TimeSpan Longest = TimeSpan.FromMinutes(15);
    private static readonly TimeSpan MostWithoutProgress = TimeSpan.FromSeconds(10);

    // Of those that a viewer has not seen.
    private const int MostEventsAtOnce = 100;

    /// <summary>Answers a request. The number of the event from which on the caller wants them is in its query; without it those come that happen from now on.</summary>
    public async Task AnswerAsync(HttpContext http)
    {
        if (!dashboard.Viewers.TryEnter())
        {
            http.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
            http.Response.Headers.RetryAfter = "10";
            http.Response.ContentType = "text/plain; charset=utf-8";
            await http.Response.WriteAsync("As many event streams are open as WeirDashboardOptions.Viewers allows.", http.RequestAborted);
            return;
        }

        try
        {
            using var watching = dashboard.Recorder.Watch();
            await SendAsync(http);
        }
        finally
        {
            dashboard.Viewers.Leave();
        }
    }

    private async Task SendAsync(HttpContext http)
    {
        var response = http.Response;
        response.ContentType = "text/event-stream; charset=utf-8";
        response.Headers["X-Accel-Buffering"] = "no";
        http.Features.Get<IHttpResponseBodyFeature>()?.DisableBuffering();
        var (time, timeline) = (dashboard.Time, dashboard.Runtime.Workers.Timeline);
        var (began, seen) = (time.GetTimestamp(), timeline.Count);
        if (long.TryParse(http.Request.Query["after"], NumberStyles.None, CultureInfo.InvariantCulture, out var after))
        {
            seen = Math.Min(after, seen);
        }

        var output = new ArrayBufferWriter<byte>(16 * 1024);
        var hello = await greeting.ReadAsync(http, seen);
        Append(output, "hello"u8, hello.Span);
        using var ticks = new PeriodicTimer(Ticks.Interval, time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(http.RequestAborted, dashboard.Stopping);
        do
        {
            while (timeline.Read(seen, out var dropped) is { Length: > 0 } events)
            {
                seen += dropped;
                foreach (var happened in events.AsSpan(0, Math.Min(events.Length, MostEventsAtOnce)))
                {
                    Append(output, "event"u8, JsonBytes.Of(json => RecordWriter.Write(json, happened)).Span, ++seen);
                }
            }

            Append(output, "tick"u8, dashboard.Ticks.Newest().Span);
            if (!await TryFlushAsync(http, output))
            {
                return;
            }
        }
        while (time.GetElapsedTime(began) < Longest && await WaitAsync(ticks, either.Token));

        Append(output, "end"u8, "{}"u8);
        await TryFlushAsync(http, output);
    }

    private static async ValueTask<bool> WaitAsync(PeriodicTimer ticks, CancellationToken cancellationToken)
    {
        try
        {
            return await ticks.WaitForNextTickAsync(cancellationToken);
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }

    // What the connection does not take holds its memory: such a viewer is gone, or stands still.
    private async Task<bool> TryFlushAsync(HttpContext http, ArrayBufferWriter<byte> output)
    {
        using var late = new CancellationTokenSource(MostWithoutProgress, dashboard.Time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(late.Token, http.RequestAborted);
        try
        {
            await http.Response.Body.WriteAsync(output.WrittenMemory, either.Token);
            await http.Response.Body.FlushAsync(either.Token);
            output.ResetWrittenCount();
            return true;
        }
        catch (OperationCanceledException)
        {
            http.Abort();
            return false;
        }
    }

    private static void Append(ArrayBufferWriter<byte> output, ReadOnlySpan<byte> kind, ReadOnlySpan<byte> data, long? id = null)
    {
        if (id is { } number)
        {
            output.Write("id: "u8);
            var digits = output.GetSpan(20);
            _ = number.TryFormat(digits, out var length, default, CultureInfo.InvariantCulture);
            output.Advance(length);
            output.Write("\n"u8);
        }

        output.Write("event: "u8);
        output.Write(kind);
        output.Write("\ndata: "u8);
        output.Write(data);
        output.Write("\n\n"u8);
    }
}
