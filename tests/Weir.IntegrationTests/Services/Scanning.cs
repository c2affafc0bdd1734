using System.Globalization;
using System.IO.Pipelines;
using System.Text;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc;

namespace Weir.IntegrationTests.Services;

/// <summary>The same in the host.</summary>
[Service]
public sealed class InlineScans : Scanning;

/// <summary>Files and bytes to a worker and back.</summary>
[Service, Isolated("probe")]
public sealed class Scans : Scanning
{
    /// <summary>The worker ends after so many bytes.</summary>
    [Get]
    public Stream Die(long after, bool saysLength, OperationContext context)
    {
        if (saysLength)
        {
            context.Headers["Content-Length"] = "1000000";
        }

        return new Dying(after);
    }

    private sealed class Dying(long after) : PatternlessStream(after)
    {
        protected override void OnEnd() => Environment.FailFast("the process ends in the middle of its content");
    }
}

/// <summary>What an application does with files.</summary>
public abstract class Scanning
{
    private const string Text = "0123456789";

    public async Task<string> Read(Stream body, [FromQuery] string title, CancellationToken token) => $"{title} {await ReadAsync(body, token)}";

    public Task<string> ReadPipe(PipeReader body, CancellationToken token) => ReadAsync(body.AsStream(), token);

    public async Task<string> File(IFormFile scan, [FromForm] string title, int[] pages, CancellationToken token)
    {
        await using var content = scan.OpenReadStream();
        return $"{title} {string.Join('+', pages)} {scan.Name} {scan.FileName} {scan.ContentType} {await ReadAsync(content, token)}";
    }

    public string TitledFile(IFormFile scan, [FromForm] string? title = null)
    {
        using var copy = new MemoryStream();
        scan.CopyTo(copy);
        return $"{title} {copy.Length}";
    }

    public async Task<string> Optional(IFormFile? scan, CancellationToken token)
    {
        if (scan is null)
        {
            return "none";
        }

        await using var content = scan.OpenReadStream();
        return await ReadAsync(content, token);
    }

    public async Task<string> Files(IReadOnlyList<IFormFile> scan, CancellationToken token)
    {
        var read = new List<string>();
        foreach (var file in scan)
        {
            await using var content = file.OpenReadStream();
            read.Add($"{file.FileName} {await ReadAsync(content, token)}");
        }

        return $"{scan.Count}: {string.Join(", ", read)}";
    }

    /// <summary>Reads a part of the file and returns.</summary>
    public string Begin(IFormFile scan)
    {
        using var content = scan.OpenReadStream();
        return $"{(char)content.ReadByte()}";
    }

    public Task Store(Stream body, [FromQuery] string path, CancellationToken token) => StoreAsync(body, path, token);

    public async Task StoreFile(IFormFile scan, [FromQuery] string path, CancellationToken token)
    {
        await using var content = scan.OpenReadStream();
        await StoreAsync(content, path, token);
    }

    /// <summary>A file with all that a reader may know of it.</summary>
    [Get]
    public Stream Download(bool seekable, int? status, OperationContext context)
    {
        context.StatusCode = status;
        context.Headers["Content-Type"] = "text/x-scan";
        context.Headers["Content-Disposition"] = "attachment; filename=a.txt";
        context.Headers["ETag"] = "\"v1\"";
        context.Headers["Last-Modified"] = "Sun, 06 Nov 1994 08:49:37 GMT";
        return seekable ? new MemoryStream(Encoding.ASCII.GetBytes(Text)) : new PatternlessStream(10);
    }

    [Get] public Stream Plain() => new MemoryStream(Encoding.ASCII.GetBytes(Text));

    /// <summary>Says one length, and has another.</summary>
    [Get]
    public Stream Say(long length, long has, OperationContext context)
    {
        context.Headers["Content-Length"] = length.ToString(CultureInfo.InvariantCulture);
        return new PatternlessStream(has);
    }

    [Get]
    public Stream Break(long after, bool saysLength, OperationContext context)
    {
        if (saysLength)
        {
            context.Headers["Content-Length"] = "1000000";
        }

        return new Breaking(after);
    }

    /// <summary>Returns what it takes, while it arrives.</summary>
    public Stream Echo(Stream body) => body;

    private static async Task<string> ReadAsync(Stream content, CancellationToken token)
    {
        using var copy = new MemoryStream();
        await content.CopyToAsync(copy, token);
        return copy.Length > 100 ? $"{copy.Length}" : Encoding.UTF8.GetString(copy.ToArray());
    }

    private static async Task StoreAsync(Stream content, string path, CancellationToken token)
    {
        try
        {
            await using (var file = System.IO.File.Create(path + ".part"))
            {
                await content.CopyToAsync(file, token);
            }

            System.IO.File.Move(path + ".part", path);
        }
        catch (Exception failure)
        {
            await System.IO.File.WriteAllTextAsync(path + ".failed", failure.Message, CancellationToken.None);
            throw;
        }
    }

    private sealed class Breaking(long after) : PatternlessStream(after)
    {
        protected override void OnEnd() => throw new InvalidOperationException("broken");
    }
}

/// <summary>So many times the letter x, and then something may happen. Cannot seek.</summary>
internal class PatternlessStream(long length) : Stream
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
        if (_rest == 0)
        {
            OnEnd();
        }

        var read = (int)Math.Min(_rest, count);
        buffer.AsSpan(offset, read).Fill((byte)'x');
        _rest -= read;
        return read;
    }

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    protected virtual void OnEnd()
    {
    }
}
