using System.IO.Pipelines;
using System.Text;
using System.Threading.Channels;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.HttpResults;

namespace Weir.IntegrationTests.Services;

/// <summary>Results that can be read only while the instance lives that made them.</summary>
[Service]
public sealed class HeldContents(HeldLog? log = null) : IAsyncDisposable
{
    private readonly HeldStream _content = new(log ?? new HeldLog());

    [Get] public Stream Stream() => _content;

    [Get] public PipeReader Pipe() => PipeReader.Create(_content);

    [Get] public IResult Result() => TypedResults.Stream(_content.ByResult());

    [Get] public Results<FileStreamHttpResult, NotFound> Typed() => TypedResults.Stream(_content.ByResult());

    [Get, Blocking] public Stream Lane() => _content;

    [Get, Blocking] public IResult LaneResult() => TypedResults.Stream(_content.ByResult());

    [Get] public Stream Broken() => _content.With(fails: true);

    [Get] public Stream Null() => null!;

    [Get] public Stream Thrown() => throw new InvalidOperationException("broken");

    [Get] public async Task<Stream> Late() => await LateAsync(_content);

    [Get] public async Task<IResult> LateResult() => await LateAsync(TypedResults.Stream(_content.ByResult()));

    [Get] public Stream Slow(int pieces) => _content.With(pieces, endless: true);

    [Get] public IResult SlowResult(int pieces) => TypedResults.Stream(_content.ByResult().With(pieces, endless: true));

    [Get, Blocking] public PipeReader SlowPipe(int pieces) => PipeReader.Create(_content.With(pieces, endless: true));

    /// <summary>Reads its argument when the test lets it.</summary>
    public async Task<string> Read(ReadOnlyMemory<byte> data)
    {
        await log!.Continue.Task;
        var text = Encoding.UTF8.GetString(data.Span);
        log.Add(text);
        return text;
    }

    public ValueTask DisposeAsync()
    {
        _content.IsGone = true;
        log?.Add("instance");
        return default;
    }

    private async Task<T> LateAsync<T>(T result)
    {
        await log!.Continue.Task;
        return result;
    }
}

/// <summary>What was disposed, in order.</summary>
public sealed class HeldLog
{
    private readonly Channel<string> _lines = Channel.CreateUnbounded<string>();

    internal TaskCompletionSource Continue { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    internal bool IsEmpty => _lines.Reader.Count == 0;

    internal void Add(string line) => _lines.Writer.TryWrite(line);

    /// <summary>The next lines.</summary>
    internal async Task<string[]> TakeAsync(int count, CancellationToken cancellationToken)
    {
        var taken = new string[count];
        for (var i = 0; i < count; i++)
        {
            taken[i] = await _lines.Reader.ReadAsync(cancellationToken).AsTask().WaitAsync(TimeSpan.FromSeconds(20), cancellationToken);
        }

        return taken;
    }
}

/// <summary>Pieces of text.</summary>
internal sealed class HeldStream(HeldLog log) : Stream
{
    private int _pieces = 2;
    private bool _isEndless;
    private bool _fails;
    private bool _isDisposed;

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    private bool IsSentByResult { get; set; }

    /// <summary>Whether the instance was disposed.</summary>
    internal bool IsGone { get; set; }

    public override int Read(byte[] buffer, int offset, int count) => ReadAsync(buffer.AsMemory(offset, count)).AsTask().GetAwaiter().GetResult();

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) => ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(IsGone || _isDisposed, this);
        if (_fails)
        {
            throw new InvalidOperationException("broken");
        }

        if (_pieces == 0)
        {
            if (_isEndless)
            {
                await Task.Delay(Timeout.Infinite, cancellationToken);
            }

            return 0;
        }

        _pieces--;
        return Encoding.UTF8.GetBytes("piece", buffer.Span);
    }

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    internal HeldStream ByResult()
    {
        IsSentByResult = true;
        return this;
    }

    internal HeldStream With(int pieces = 0, bool endless = false, bool fails = false)
    {
        (_pieces, _isEndless, _fails) = (pieces, endless, fails);
        return this;
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            // Each time, so that a second one shows. What ASP.NET Core sends, it disposes twice by itself.
            if (!_isDisposed || !IsSentByResult)
            {
                log.Add("content");
            }

            _isDisposed = true;
        }

        base.Dispose(disposing);
    }
}
