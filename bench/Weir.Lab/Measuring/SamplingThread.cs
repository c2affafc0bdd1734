namespace Weir.Lab.Measuring;

/// <summary>Takes a sample at once and then again after each interval, on a thread of its own, until it is stopped.</summary>
internal sealed class SamplingThread : IDisposable
{
    private readonly ManualResetEventSlim _stop = new();
    private readonly Thread _thread;

    public SamplingThread(string name, TimeSpan interval, Action sample)
    {
        _thread = new Thread(() =>
        {
            do
                sample();
            while (!_stop.Wait(interval));
        })
        {
            IsBackground = true,
            Name = name,
        };
        _thread.Start();
    }

    /// <summary>Returns when the last sample was taken.</summary>
    public void Stop()
    {
        _stop.Set();
        _thread.Join();
    }

    public void Dispose()
    {
        Stop();
        _stop.Dispose();
    }
}
