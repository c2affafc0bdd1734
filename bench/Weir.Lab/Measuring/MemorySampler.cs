namespace Weir.Lab.Measuring;

/// <summary>How much memory a process and its children hold of their own, on the average over a time.</summary>
internal sealed class MemorySampler : IDisposable
{
    private readonly ProcessMeter _parent;
    private readonly TimeSpan _interval;
    private readonly ManualResetEventSlim _stop = new();
    private readonly Thread _thread;

    // The thread's, until it has ended.
    private readonly List<long> _samples = [];

    public MemorySampler(ProcessMeter parent, TimeSpan interval)
    {
        (_parent, _interval) = (parent, interval);
        _thread = new Thread(Watch) { IsBackground = true, Name = "lab memory" };
        _thread.Start();
    }

    /// <summary>Ends the time; the average in bytes.</summary>
    public double Stop()
    {
        End();
        return _samples.Average();
    }

    public void Dispose()
    {
        End();
        _stop.Dispose();
    }

    private void End()
    {
        _stop.Set();
        _thread.Join();
    }

    private void Watch()
    {
        do
            _samples.Add(_parent.PrivateDirtyOfAll);
        while (!_stop.Wait(_interval));
    }
}
