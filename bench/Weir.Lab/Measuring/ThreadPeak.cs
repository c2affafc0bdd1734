namespace Weir.Lab.Measuring;

/// <summary>Watches how many threads this process has, from a thread of its own.</summary>
internal sealed class ThreadPeak : IDisposable
{
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(20);

    private readonly ProcessMeter _meter = new(Environment.ProcessId);
    private readonly ManualResetEventSlim _stop = new();
    private readonly Thread _thread;
    private long _most;

    public ThreadPeak()
    {
        _thread = new Thread(Watch) { IsBackground = true, Name = "lab thread peak" };
        _thread.Start();
    }

    /// <summary>The most seen so far, the watching thread left out.</summary>
    public long Most
    {
        get
        {
            Look();
            return Volatile.Read(ref _most) - 1;
        }
    }

    public void Dispose()
    {
        _stop.Set();
        _thread.Join();
        _stop.Dispose();
    }

    private void Watch()
    {
        do
            Look();
        while (!_stop.Wait(Interval));
    }

    private void Look() => Volatile.Write(ref _most, Math.Max(Volatile.Read(ref _most), _meter.Threads));
}
