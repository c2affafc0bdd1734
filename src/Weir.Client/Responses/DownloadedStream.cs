using Weir.Client.Requests;

namespace Weir.Client.Responses;

/// <summary>The body of a response as the caller reads it. Disposing of it ends the request.</summary>
/// <param name="source">The body.</param>
/// <param name="response">Disposed to end a read that must not wait any longer: then nothing writes into the caller's buffer.</param>
/// <param name="operation">For errors.</param>
/// <param name="idle">How long an asynchronous read may wait; <c>null</c> for no limit.</param>
/// <param name="limit">What ends the call.</param>
internal sealed class DownloadedStream(Stream source, HttpResponseMessage response, string operation, TimeSpan? idle, CallLimit limit) : Stream
{
    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override int Read(byte[] buffer, int offset, int count) => source.Read(buffer, offset, count);

#if NET
    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
#else
    public override async Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
#endif
    {
        CancellationTokenSource? silence = null;
        try
        {
#if NET
            var read = source.ReadAsync(buffer, cancellationToken);
#else
            var read = source.ReadAsync(buffer, offset, count, cancellationToken);
#endif
            if (read.IsCompleted)
            {
                return await read.ConfigureAwait(false);
            }

            using var ending = limit.Token.Register(static one => ((HttpResponseMessage)one!).Dispose(), response);
            silence = idle is { } longest ? new CancellationTokenSource(longest) : null;
            using var silent = silence?.Token.Register(static one => ((HttpResponseMessage)one!).Dispose(), response) ?? default;
            return await read.ConfigureAwait(false);
        }
        catch (Exception error)
        {
            cancellationToken.ThrowIfCancellationRequested();
            limit.ThrowIfReached(error);
            if (silence is { IsCancellationRequested: true })
            {
                throw ResponseStreams.Silence(operation, idle!.Value, error);
            }

            throw;
        }
        finally
        {
            silence?.Dispose();
        }
    }

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            response.Dispose();
            source.Dispose();
            limit.Dispose();
        }

        base.Dispose(disposing);
    }
}
