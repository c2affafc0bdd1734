namespace Weir.Lab.Measuring;

/// <summary>Watches how many threads and how much memory this process has, from a thread of its own.</summary>
internal sealed class ProcessPeak : IDisposable
{
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(20);

    private readonly ProcessMeter _meter = new(Environment.ProcessId);
    private readonly SamplingThread _sampling;
    private long _threads;
    private long _memory;

    public ProcessPeak() => _sampling = new SamplingThread("lab process peak", Interval, Look);

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

    public void Dispose() => _sampling.Dispose();

    private void Look()
    {
        Raise(ref _threads, _meter.Threads);
        Raise(ref _memory, _meter.ResidentWithoutFiles);
    }

    private static void Raise(ref long most, long value) => Volatile.Write(ref most, Math.Max(Volatile.Read(ref most), value));
}
