using System.IO.Pipelines;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc;

namespace Weir.IntegrationTests.Services;

/// <summary>Bytes in and out, of any size, and forms with files.</summary>
[Service]
public sealed class Transfers
{
    [DisableRequestSizeLimit]
    public async Task<long> Upload(Stream body, [FromQuery] string? name, CancellationToken token)
    {
        var buffer = new byte[64 * 1024];
        long length = name?.Length ?? 0;
        for (int read; (read = await body.ReadAsync(buffer, token)) > 0;)
        {
            length += read;
        }

        return length;
    }

    [DisableRequestSizeLimit, Blocking]
    public long UploadBlocking(PipeReader body)
    {
        long length = 0;
        while (true)
        {
            var result = body.ReadAsync().AsTask().GetAwaiter().GetResult();
            length += result.Buffer.Length;
            body.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                return length;
            }
        }
    }

    [RequestSizeLimit(1000)]
    public async Task<long> UploadSmall(Stream body, CancellationToken token)
    {
        var all = new MemoryStream();
        await body.CopyToAsync(all, token);
        return all.Length;
    }

    [Get]
    public Stream Download(long length, OperationContext context)
    {
        context.Headers["Content-Type"] = "image/x-any";
        return new PatternStream(length);
    }

    [Get] public PipeReader DownloadPipe(long length) => PipeReader.Create(new PatternStream(length));

    [Get] public Stream Seekable() => new MemoryStream([1, 2, 3]);

    [Get] public Stream Broken(int after) => new PatternStream(after, breaks: true);

    [Get]
    public async IAsyncEnumerable<ReadOnlyMemory<byte>> DownloadPieces(long length)
    {
        var piece = new byte[64 * 1024];
        piece.AsSpan().Fill((byte)'p');
        for (var rest = length; rest > 0; rest -= piece.Length)
        {
            await Task.Yield();
            yield return piece.AsMemory(0, (int)Math.Min(rest, piece.Length));
        }
    }

    [Get]
    public async IAsyncEnumerable<byte[]> Csv(OperationContext context)
    {
        await Task.Yield();
        context.Headers["Content-Type"] = "text/csv";
        yield return [.. "a,b\n"u8];
    }

    [Get]
    public string Misnamed(OperationContext context, HttpResponse response)
    {
        response.Headers.ETag = "\"1\"";
        context.Headers["X"] = "a\nb";
        return "hello";
    }

    [Get, Isolated(Kinds.Pool)]
    public async IAsyncEnumerable<byte[]> Isolated(int count)
    {
        for (var i = 0; i < count; i++)
        {
            await Task.Yield();
            yield return [(byte)'a', (byte)('0' + i)];
        }
    }

    [Get, Stream]
    public IEnumerable<byte[]> Lane(int count)
    {
        for (var i = 0; i < count; i++)
        {
            yield return [(byte)'b', (byte)('0' + i)];
        }
    }

    public string File(IFormFile file, [FromForm] string title, int[] numbers, IFormFile? second = null) =>
        $"{file.FileName} {file.Length} {title} {string.Join('+', numbers)} {second?.FileName}";

    public string Apply([FromForm] JobApplication application) =>
        $"{application.Name} {string.Join('+', application.Years)} {application.Letter?.Length} {application.Sent:O}";

    public string Files(IFormFileCollection files, [FromForm(Name = "same")] IReadOnlyList<IFormFile> same, IFormCollection form) => $"{files.Count} {same.Count} {form.Keys.Count}";
}

/// <summary>A form.</summary>
public sealed class JobApplication
{
    public required string Name { get; init; }

    public int[] Years { get; init; } = [1];

    public DateOnly Sent { get; set; } = DateOnly.MinValue;

    public IFormFile? Letter { get; set; }
}

/// <summary>So many bytes, made as they are read.</summary>
internal sealed class PatternStream(long length, bool breaks = false) : Stream
{
    private long _rest = length;

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override int Read(byte[] buffer, int offset, int count)
    {
        if (_rest == 0 && breaks)
        {
            throw new InvalidOperationException("broken");
        }

        var read = (int)Math.Min(_rest, count);
        buffer.AsSpan(offset, read).Fill((byte)'p');
        _rest -= read;
        return read;
    }

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
}
