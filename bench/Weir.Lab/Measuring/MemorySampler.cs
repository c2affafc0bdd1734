namespace Weir.Lab.Measuring;

/// <summary>How much memory a process and its children hold of their own, on the average over a time.</summary>
internal sealed class MemorySampler : IDisposable
{
    private readonly SamplingThread _sampling;

    // The thread's, until it has ended.
    private readonly List<long> _samples = [];

    public MemorySampler(ProcessMeter parent, TimeSpan interval) =>
        _sampling = new SamplingThread("lab memory", interval, () => _samples.Add(parent.PrivateDirtyOfAll));

    /// <summary>Ends the time; the average in bytes.</summary>
    public double Stop()
    {
        _sampling.Stop();
        return _samples.Average();
    }

    public void Dispose() => _sampling.Dispose();
}
