using System.Buffers;
using System.IO.Pipelines;
using System.Text.Json;
using Microsoft.AspNetCore.Http.Features;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Contenders.RawKestrel;

/// <summary>Streams with the least between producer and socket: written by hand, flushed when the floor of the case wants it.</summary>
internal static class RawStreams
{
    private const int FlushAt = 32 * 1024;
    private const int LongestSample = 128;

    // Every item at once.
    public static async Task WeatherAsync(string query, IHttpResponseBodyFeature response, CancellationToken cancellation)
    {
        await response.StartAsync(cancellation);
        var first = true;
        await foreach (var forecast in Forecasts.StreamAsync(RawQuery.Int(query, "days"), RawQuery.Int(query, "delay"), cancellation))
        {
            response.Writer.Write(first ? "["u8 : ","u8);
            first = false;
            response.Writer.Write(JsonSerializer.SerializeToUtf8Bytes(forecast, JsonSerializerOptions.Web));
            await response.Writer.FlushAsync(cancellation);
        }

        response.Writer.Write("]"u8);
    }

    public static async Task GuidsAsync(string query, IHttpResponseBodyFeature response)
    {
        await response.StartAsync();
        var first = true;
        await foreach (var guid in Guids.StreamAsync(RawQuery.Int(query, "count"), RawQuery.Bool(query, "constant")))
        {
            Quote(response.Writer, first, guid);
            first = false;
            if (response.Writer.UnflushedBytes > FlushAt)
                await response.Writer.FlushAsync();
        }

        response.Writer.Write("]"u8);
    }

    public static async Task SamplesAsync(string query, IHttpResponseBodyFeature response, CancellationToken cancellation)
    {
        await response.StartAsync(cancellation);
        var first = true;
        await foreach (var sample in Sample.StreamAsync(RawQuery.Int(query, "count"), RawQuery.Int(query, "ms"), cancellation))
        {
            var span = response.Writer.GetSpan(LongestSample);
            span[0] = first ? (byte)'[' : (byte)',';
            response.Writer.Advance(RawJson.Sample(span[1..], sample) + 1);
            first = false;
            if (response.Writer.UnflushedBytes > FlushAt)
                await response.Writer.FlushAsync(cancellation);
        }

        response.Writer.Write("]"u8);
    }

    public static Task SampleLinesAsync(string query, IHttpResponseBodyFeature response, CancellationToken cancellation) =>
        EachAsync(query, response, ""u8.ToArray(), "\n"u8.ToArray(), cancellation);

    public static Task SampleEventsAsync(string query, IHttpResponseBodyFeature response, CancellationToken cancellation) =>
        EachAsync(query, response, "data: "u8.ToArray(), "\n\n"u8.ToArray(), cancellation);

    private static async Task EachAsync(string query, IHttpResponseBodyFeature response, byte[] before, byte[] after, CancellationToken cancellation)
    {
        await response.StartAsync(cancellation);
        await foreach (var sample in Sample.StreamAsync(RawQuery.Int(query, "count"), RawQuery.Int(query, "ms"), cancellation))
        {
            var span = response.Writer.GetSpan(LongestSample);
            var length = RawJson.Append(span, 0, before);
            length += RawJson.Sample(span[length..], sample);
            response.Writer.Advance(RawJson.Append(span, length, after));
            if (response.Writer.UnflushedBytes > FlushAt)
                await response.Writer.FlushAsync(cancellation);
        }
    }

    private static void Quote(PipeWriter writer, bool first, string text)
    {
        var span = writer.GetSpan(RawJson.LengthOf(text) + 1);
        span[0] = first ? (byte)'[' : (byte)',';
        writer.Advance(RawJson.String(span[1..], text) + 1);
    }
}
