namespace Weir.Lab.Measuring;

/// <summary>When the kernel says that a process is gone, from a thread that does nothing but wait for it.</summary>
internal sealed class DeathWatch : IDisposable
{
    private const int PatienceMilliseconds = 5_000;

    private readonly int _descriptor;
    private readonly Thread _thread;
    private readonly ManualResetEventSlim _waits = new();

    // The thread's, until it has ended; zero when it waited in vain.
    private long _seen;

    /// <summary>Returns when the thread is about to wait.</summary>
    public DeathWatch(int pid)
    {
        _descriptor = Kernel.OpenProcess(pid);
        _thread = new Thread(Watch) { IsBackground = true, Name = "lab death watch" };
        _thread.Start();
        _waits.Wait();
    }

    /// <summary>The stamp of the end.</summary>
    public long Wait()
    {
        _thread.Join();
        return _seen > 0 ? _seen : throw new TimeoutException($"The process continues {PatienceMilliseconds} ms after it was killed.");
    }

    public void Dispose()
    {
        _thread.Join();
        _ = Kernel.Close(_descriptor);
        _waits.Dispose();
    }

    private void Watch()
    {
        _waits.Set();
        if (Kernel.Wait(_descriptor, PatienceMilliseconds))
            _seen = Clock.Now;
    }
}
