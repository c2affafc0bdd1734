using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.Epoll;

/// <summary>The registration of one descriptor in the epoll loop. Only the epoll loop's thread uses it.</summary>
internal sealed class EpollRegistration
{
    private readonly EpollLoop _loop;
    private readonly Descriptor _descriptor;
    private Readiness _interest;
    private Readiness _pausedInterest;
    private bool _removed;

    public EpollRegistration(EpollLoop loop, ulong id, Descriptor descriptor, IReadyHandler watcher)
    {
        _loop = loop;
        _descriptor = descriptor;
        Id = id;
        Watcher = watcher;

        // epoll removes a descriptor only when its number is closed; a number that is closed early could belong to another file by then.
        var added = false;
        descriptor.DangerousAddRef(ref added);
    }

    public ulong Id { get; }

    public IReadyHandler Watcher { get; }

    /// <summary>Requests other events; with <see cref="Readiness.None"/> no event is reported, not even a hang-up.</summary>
    public void Change(Readiness interest)
    {
        if (_removed || interest == _interest)
        {
            return;
        }

        var operation = _interest == Readiness.None ? EpollCalls.Add : interest == Readiness.None ? EpollCalls.Remove : EpollCalls.Modify;
        _loop.Control(operation, _descriptor, interest, Id);
        _interest = interest;
    }

    /// <summary>Reports no events for a number of ticks of the epoll loop's clock, then the same events as before.</summary>
    public void Pause(long ticks)
    {
        if (!_removed && _interest != Readiness.None)
        {
            _pausedInterest = _interest;
            Change(Readiness.None);
            _loop.ResumeAfter(ticks, this);
        }
    }

    public void Resume() => Change(_pausedInterest);

    public void Remove()
    {
        if (_removed)
        {
            return;
        }

        Change(Readiness.None);
        _removed = true;
        _loop.Forget(this);
        _descriptor.DangerousRelease();
    }
}
