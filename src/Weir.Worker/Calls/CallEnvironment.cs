using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;
using Weir.Protocol;
using Weir.Worker.Channels;
using Weir.Worker.Session;

namespace Weir.Worker.Calls;

/// <summary>What all calls of a worker share, and their buffers. Used concurrently.</summary>
internal sealed class CallEnvironment(DataOutput output, CallTable calls, FatalEnd fatal, TimeProvider time, ILogger logger)
{
    /// <summary>A buffer that grew beyond this is not kept.</summary>
    private const int LargestKept = 1 << 20;

    // Bounded by the calls that ever ran at the same time.
    private readonly ConcurrentBag<(FrameWriter Frames, PayloadWriter Payload)> _buffers = [];

    public DataOutput Output => output;

    public CallTable Calls => calls;

    public FatalEnd Fatal => fatal;

    public TimeProvider Time => time;

    public ILogger Logger => logger;

    public (FrameWriter Frames, PayloadWriter Payload) RentBuffers()
    {
        if (!_buffers.TryTake(out var buffers))
        {
            buffers = (new FrameWriter(), new PayloadWriter());
        }

        buffers.Frames.MostPayload = output.MostPayload;
        return buffers;
    }

    public void ReturnBuffers(FrameWriter frames, PayloadWriter payload)
    {
        payload.Clear();
        if (payload.GetSpan().Length > LargestKept)
        {
            // Whatever is in it now: a stream has cleared it after a large item.
            payload.Dispose();
        }

        _buffers.Add((frames, payload));
    }
}
