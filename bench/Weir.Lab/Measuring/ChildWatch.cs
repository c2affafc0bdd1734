using Weir.Lab.Engine;

namespace Weir.Lab.Measuring;

/// <summary>Watches which processes a contender has started, by the kernel's list, not by its own records.</summary>
internal sealed class ChildWatch : IDisposable
{
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(10);

    private readonly ProcessMeter _parent;
    private readonly long _began = Clock.Now;
    private readonly SamplingThread _sampling;
    private readonly Lock _lock = new();
    private readonly List<TimelineEvent> _events = [];
    private HashSet<int> _known = [];

    public ChildWatch(ProcessMeter parent)
    {
        _parent = parent;
        _sampling = new SamplingThread("lab child watch", Interval, Look);
    }

    /// <summary>Seconds since the watch began, as its events count them.</summary>
    public double Now => Clock.SecondsSince(_began);

    /// <summary>Who was there when it looked last.</summary>
    public IReadOnlyCollection<int> Alive
    {
        get
        {
            lock (_lock)
                return [.. _known];
        }
    }

    /// <summary>The most that were there at once.</summary>
    public int Most { get; private set; }

    /// <summary>Started and ended, in order.</summary>
    public IReadOnlyList<TimelineEvent> Events
    {
        get
        {
            lock (_lock)
                return [.. _events];
        }
    }

    /// <summary>How many started, or ended, between two moments.</summary>
    public int Count(string what, double from, double to) =>
        Events.Count(item => item.What == what && item.Seconds >= from && item.Seconds < to);

    public void Dispose() => _sampling.Dispose();

    private void Look()
    {
        // A zombie, which waits to be reaped, has ended.
        var now = _parent.Children.Where(pid => new ProcessMeter(pid).IsAlive).ToHashSet();
        lock (_lock)
        {
            foreach (var pid in now.Except(_known))
                _events.Add(new TimelineEvent(Now, "started", pid));
            foreach (var pid in _known.Except(now))
                _events.Add(new TimelineEvent(Now, "ended", pid));
            _known = now;
            Most = Math.Max(Most, now.Count);
        }
    }
}
