using Microsoft.AspNetCore.Http.Features;

namespace Weir.Lab.Contenders.Work;

/// <summary>Document 004's ways to write a response: synchronously or not, piece by piece or collected first.</summary>
internal static class LineWrites
{
    public static Task WriteAsync(IFeatureCollection features, int count, bool isLong, bool sync, bool buffered)
    {
        features.Get<IHttpResponseFeature>()!.Headers.ContentType = "application/x-ndjson";
        var body = features.Get<IHttpResponseBodyFeature>()!.Stream;
        var piece = Lines.Piece(isLong);
        if (!sync)
            return buffered ? BufferedAsync(body, piece, count) : UnbufferedAsync(body, piece, count);

        // Kestrel refuses synchronous writes unless they are allowed.
        features.Get<IHttpBodyControlFeature>()!.AllowSynchronousIO = true;
        if (buffered)
        {
            using var buffer = Collected(piece, count);
            body.Write(buffer.GetBuffer(), 0, (int)buffer.Length);
            return Task.CompletedTask;
        }

        for (var i = 0; i < count; i++)
            body.Write(piece.Span);
        return Task.CompletedTask;
    }

    private static async Task BufferedAsync(Stream body, ReadOnlyMemory<byte> piece, int count)
    {
        using var buffer = Collected(piece, count);
        await body.WriteAsync(buffer.GetBuffer().AsMemory(0, (int)buffer.Length));
    }

    private static async Task UnbufferedAsync(Stream body, ReadOnlyMemory<byte> piece, int count)
    {
        for (var i = 0; i < count; i++)
            await body.WriteAsync(piece);
    }

    private static MemoryStream Collected(ReadOnlyMemory<byte> piece, int count)
    {
        var buffer = new MemoryStream();
        for (var i = 0; i < count; i++)
            buffer.Write(piece.Span);
        return buffer;
    }
}
