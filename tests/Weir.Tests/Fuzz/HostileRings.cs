using Weir.Execution.Processes;
using Weir.Protocol.Frames;
using Weir.Protocol.Page;
using Weir.Tests.Protocol;

namespace Weir.Tests.Fuzz;

/// <summary>The page of such a worker, and its ends of the rings. It sleeps whenever it has heard all.</summary>
internal sealed class HostileRings
{
    private readonly RingWriter<PageAccess> _up;
    private readonly RingReader<PageAccess> _down;
    private readonly WaitWord<PageAccess> _sleeps;
    private readonly WaitWord<PageAccess> _hostSleeps;

    // Who is rung while another still looks whether it may sleep hears after it: a worker has one data thread.
    private readonly Lock _hearing = new();

    public HostileRings()
    {
        Memory = new PageMemory();
        Page = new OwnPage(Memory);
        Calls = PageAccess.OpenWorkerPage(Memory.Address);
        (_up, _down) = PageAccess.OpenWorkerRings(Memory.Address);
        _sleeps = PageAccess.OpenWaitWord(Memory.Address, PageLayout.WorkerSleeps);
        _hostSleeps = PageAccess.OpenWaitWord(Memory.Address, PageLayout.HostSleeps);
        _sleeps.Raise();
    }

    public PageMemory Memory { get; }

    public SharedPage Page { get; }

    public WorkerPage<PageAccess> Calls { get; }

    /// <summary>It was rung: hears what there is. Its memory is there meanwhile, however it dies.</summary>
    public void Hear(FrameReader heard, Action<FrameType, ulong, byte[]> onHeard)
    {
        using var hearing = _hearing.EnterScope();
        var held = false;
        try
        {
            Page.DangerousAddRef(ref held);
            do
            {
                while (_down.Take(heard.GetSpan()) is > 0 and var taken)
                {
                    heard.Advance(taken);
                    while (heard.TryRead(out var frame))
                    {
                        onHeard(frame.Type, frame.CallId, frame.Payload.ToArray());
                    }
                }

                _sleeps.Raise();
            }
            while (!_down.IsEmpty);
        }
        catch (Exception own) when (own is FrameException or ObjectDisposedException)
        {
            // Who has scribbled over its own ears hears no more, nor who is buried.
        }
        finally
        {
            if (held)
            {
                Page.DangerousRelease();
            }
        }
    }

    /// <summary>Finishes something.</summary>
    /// <param name="bytes">There is room for them.</param>
    /// <param name="sends">Whether it is sent.</param>
    /// <returns>Whether the host is to be rung.</returns>
    public bool Add(byte[] bytes, bool sends)
    {
        _up.Add(bytes);
        if (!sends)
        {
            return false;
        }

        _up.Send();
        return _hostSleeps.TryLower();
    }

    private sealed class OwnPage(PageMemory memory) : SharedPage(memory.Address)
    {
        protected override bool ReleaseHandle()
        {
            memory.Dispose();
            return true;
        }
    }
}
