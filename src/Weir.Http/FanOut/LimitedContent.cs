using System.Diagnostics.CodeAnalysis;
using System.Net;

namespace Weir.Http.FanOut;

/// <summary>The body of a response whose request is in flight until the body is read to its end, disposed or collected.</summary>
internal sealed class LimitedContent : HttpContent
{
    private readonly HttpContent _inner;
    private readonly long? _length;
    private Action? _end;

    public LimitedContent(HttpContent inner, Action end)
    {
        _inner = inner;
        _end = end;
        _length = inner.Headers.ContentLength;
        foreach (var (name, values) in inner.Headers.NonValidated)
        {
            Headers.TryAddWithoutValidation(name, values);
        }
    }

    // Code that forgets to dispose a response must not stop all others.
    ~LimitedContent() => End();

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) => SerializeToStreamAsync(stream, context, CancellationToken.None);

    protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context, CancellationToken cancellationToken)
    {
        try
        {
            await _inner.CopyToAsync(stream, context, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            End();
        }
    }

    protected override void SerializeToStream(Stream stream, TransportContext? context, CancellationToken cancellationToken)
    {
        try
        {
            _inner.CopyTo(stream, context, cancellationToken);
        }
        finally
        {
            End();
        }
    }

    protected override Task<Stream> CreateContentReadStreamAsync() => CreateContentReadStreamAsync(CancellationToken.None);

    protected override async Task<Stream> CreateContentReadStreamAsync(CancellationToken cancellationToken) =>
        new EndingStream(await _inner.ReadAsStreamAsync(cancellationToken).ConfigureAwait(false), this);

    protected override Stream CreateContentReadStream(CancellationToken cancellationToken) => new EndingStream(_inner.ReadAsStream(cancellationToken), this);

    // Known where the header is; it was copied.
    protected override bool TryComputeLength(out long length)
    {
        length = 0;
        return false;
    }

    [SuppressMessage("Usage", "CA1816", Justification = "The base class knows no finalizer.")]
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _inner.Dispose();
            End();
            GC.SuppressFinalize(this);
        }

        base.Dispose(disposing);
    }

    private void End() => Interlocked.Exchange(ref _end, null)?.Invoke();

    // Keeps its content alive while it is read.
    private sealed class EndingStream(Stream inner, LimitedContent content) : Stream
    {
        private long _read;

        public override bool CanRead => inner.CanRead;

        public override bool CanSeek => false;

        public override bool CanWrite => false;

        public override long Length => throw new NotSupportedException();

        public override long Position
        {
            get => throw new NotSupportedException();
            set => throw new NotSupportedException();
        }

        public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

        public override int Read(Span<byte> buffer)
        {
            try
            {
                return Count(inner.Read(buffer), buffer.Length);
            }
            catch (Exception failure) when (failure is not OperationCanceledException)
            {
                // A body that was cut has nothing more.
                content.End();
                throw;
            }
        }

        public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) => ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            try
            {
                return Count(await inner.ReadAsync(buffer, cancellationToken).ConfigureAwait(false), buffer.Length);
            }
            catch (Exception failure) when (failure is not OperationCanceledException)
            {
                content.End();
                throw;
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
                inner.Dispose();
                content.End();
            }

            base.Dispose(disposing);
        }

        private int Count(int read, int wanted)
        {
            // Code that knows the length does not read once more to find the end.
            _read += read;
            if ((read == 0 && wanted > 0) || _read == content._length)
            {
                content.End();
            }

            return read;
        }
    }
}
