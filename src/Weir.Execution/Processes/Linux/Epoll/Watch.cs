using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.Epoll;

/// <summary>One descriptor under the attendant's eyes. EpollLoop's thread only.</summary>
internal sealed class EpollRegistration
{
    private readonly EpollLoop _attendant;
    private readonly Descriptor _descriptor;
    private Readiness _interest;
    private Readiness _pausedInterest;
    private bool _removed;

    public EpollRegistration(EpollLoop attendant, ulong id, Descriptor descriptor, IReadyHandler watcher)
    {
        _attendant = attendant;
        _descriptor = descriptor;
        Id = id;
        Watcher = watcher;

        // epoll forgets a descriptor only when its number is closed; a number closed early could be a stranger's by then.
        var added = false;
        descriptor.DangerousAddRef(ref added);
    }

    public ulong Id { get; }

    public IReadyHandler Watcher { get; }

    /// <summary>Asks for something else; <see cref="Readiness.None"/> hears nothing at all, also no hang-up.</summary>
    public void Change(Readiness interest)
    {
        if (_removed || interest == _interest)
        {
            return;
        }

        var operation = _interest == Readiness.None ? EpollCalls.Add : interest == Readiness.None ? EpollCalls.Remove : EpollCalls.Modify;
        _attendant.Control(operation, _descriptor, interest, Id);
        _interest = interest;
    }

    /// <summary>Hears nothing for a number of ticks of the attendant's clock, then what it heard before.</summary>
    public void Pause(long ticks)
    {
        if (!_removed && _interest != Readiness.None)
        {
            _pausedInterest = _interest;
            Change(Readiness.None);
            _attendant.ResumeAfter(ticks, this);
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
        _attendant.Forget(this);
        _descriptor.DangerousRelease();
    }
}
