using System.Net;

namespace Weir.Http.Tests;

/// <summary>A body, empty or without an end, that records that it was read and disposed.</summary>
internal sealed class TrackedContent(bool isEndless) : HttpContent
{
    private readonly TaskCompletionSource _reading = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _disposed = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Completes when its reader has begun.</summary>
    public Task Reading => _reading.Task;

    /// <summary>Completes when the response was disposed.</summary>
    public Task Disposed => _disposed.Task;

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) => SerializeToStreamAsync(stream, context, CancellationToken.None);

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context, CancellationToken cancellationToken)
    {
        _reading.TrySetResult();
        return isEndless ? _disposed.Task.WaitAsync(cancellationToken) : Task.CompletedTask;
    }

    protected override bool TryComputeLength(out long length)
    {
        length = 0;
        return false;
    }

    protected override void Dispose(bool disposing)
    {
        _disposed.TrySetResult();
        base.Dispose(disposing);
    }
}
