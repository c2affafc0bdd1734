using System.Buffers;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Contenders.MinimalApi;

/// <summary>
/// Streams as people write them by hand who know the framework well: its serializer writes into a buffer that is used again. The buffer is
/// sent when it is full or the next item is not there yet, not after every item. The framework has no writer for lines, and its own for events flushes each.
/// </summary>
/// <remarks>Not straight into the response's own buffer: of a chunked response that may be smaller than the serializer asks for, which is an exception in the middle of the stream.</remarks>
internal static class HandWritten
{
    private const int FlushAt = 32 * 1024;

    public static Task LinesAsync(IAsyncEnumerable<Sample> samples, HttpContext context) =>
        WriteAsync(samples, context, "application/x-ndjson", [], "\n"u8.ToArray());

    public static Task EventsAsync(IAsyncEnumerable<Sample> samples, HttpContext context) =>
        WriteAsync(samples, context, "text/event-stream", "data: "u8.ToArray(), "\n\n"u8.ToArray());

    private static async Task WriteAsync(IAsyncEnumerable<Sample> samples, HttpContext context, string type, byte[] before, byte[] after)
    {
        context.Response.ContentType = type;
        var buffer = new ArrayBufferWriter<byte>(2 * FlushAt);
        using var json = new Utf8JsonWriter(buffer);
        await using var items = samples.GetAsyncEnumerator(context.RequestAborted);
        while (true)
        {
            var next = items.MoveNextAsync();
            if (buffer.WrittenCount >= FlushAt || (!next.IsCompleted && buffer.WrittenCount > 0))
            {
                await context.Response.BodyWriter.WriteAsync(buffer.WrittenMemory, context.RequestAborted);
                buffer.ResetWrittenCount();
            }

            if (!await next)
                break;

            buffer.Write(before);
            JsonSerializer.Serialize(json, items.Current, JsonSerializerOptions.Web);
            json.Reset();
            buffer.Write(after);
        }

        await context.Response.BodyWriter.WriteAsync(buffer.WrittenMemory, context.RequestAborted);
    }
}
