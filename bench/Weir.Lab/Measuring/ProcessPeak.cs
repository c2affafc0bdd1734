namespace Weir.Lab.Measuring;

/// <summary>Watches how many threads and how much memory this process has, from a thread of its own.</summary>
internal sealed class ProcessPeak : IDisposable
{
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(20);

    private readonly ProcessMeter _meter = new(Environment.ProcessId);
    private readonly ManualResetEventSlim _stop = new();
    private readonly Thread _thread;
    private long _threads;
    private long _memory;

    public ProcessPeak()
    {
        _thread = new Thread(Watch) { IsBackground = true, Name = "lab process peak" };
        _thread.Start();
    }

    /// <summary>The most seen so far, the watching thread left out.</summary>
    public long Threads
    {
        get
        {
            Look();
            return Volatile.Read(ref _threads) - 1;
        }
    }

    /// <summary>The most memory seen so far that no file is behind, in bytes.</summary>
    public long MemoryWithoutFiles
    {
        get
        {
            Look();
            return Volatile.Read(ref _memory);
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

    private void Look()
    {
        Raise(ref _threads, _meter.Threads);
        Raise(ref _memory, _meter.ResidentWithoutFiles);
    }

    private static void Raise(ref long most, long value) => Volatile.Write(ref most, Math.Max(Volatile.Read(ref most), value));
}
