using Weir.Execution.Processes;
using Weir.Protocol.Frames;
using Weir.Protocol.SharedMemory;
using Weir.Tests.Protocol;

namespace Weir.Tests.Fuzz;

/// <summary>The shared memory of a hostile worker, and its ends of the rings. The worker sleeps whenever it has read everything.</summary>
internal sealed class HostileRings
{
    private readonly RingWriter<SharedMemoryAccess> _up;
    private readonly RingReader<SharedMemoryAccess> _down;

    // A thread that is woken while another one still checks whether it may sleep reads after it: a worker has one data thread.
    private readonly Lock _hearing = new();

    public HostileRings()
    {
        Memory = new AllocatedRegion();
        SharedMemory = new OwnRegion(Memory);
        Calls = SharedMemoryAccess.OpenWorker(Memory.Address);
        (_up, _down) = SharedMemoryAccess.OpenWorkerRings(Memory.Address);
        _ = _down.TrySleep();
    }

    public AllocatedRegion Memory { get; }

    public SharedMemoryRegion SharedMemory { get; }

    public WorkerSharedMemory<SharedMemoryAccess> Calls { get; }

    /// <summary>Reads everything after a wake. The memory stays mapped during that time, even if the worker exits.</summary>
    public void Hear(FrameReader heard, Action<FrameType, ulong, byte[]> onHeard)
    {
        using var hearing = _hearing.EnterScope();
        var held = false;
        try
        {
            SharedMemory.DangerousAddRef(ref held);
            do
            {
                while (_down.Take(heard.GetSpan(), out _) is > 0 and var taken)
                {
                    heard.Advance(taken);
                    while (heard.TryRead(out var frame))
                    {
                        onHeard(frame.Type, frame.CallId, frame.Payload.ToArray());
                    }
                }
            }
            while (!_down.TrySleep());
        }
        catch (Exception own) when (own is FrameException or ObjectDisposedException)
        {
            // A worker that has overwritten its own words reads no more, nor does one that is disposed.
        }
        finally
        {
            if (held)
            {
                SharedMemory.DangerousRelease();
            }
        }
    }

    /// <summary>Finishes a result.</summary>
    /// <param name="bytes">The result; there is space for it.</param>
    /// <param name="sends">Whether it is sent.</param>
    /// <returns>Whether the host must be woken.</returns>
    public bool Add(byte[] bytes, bool sends)
    {
        _up.Add(bytes);
        if (!sends)
        {
            return false;
        }

        _up.Send();
        return _up.TryWake();
    }

    private sealed class OwnRegion(AllocatedRegion memory) : SharedMemoryRegion(memory.Address)
    {
        protected override bool ReleaseHandle()
        {
            memory.Dispose();
            return true;
        }
    }
}
