namespace Weir.Lab.Contenders.OnWeir;

/// <summary>What the lab asks of a worker besides tasks: what it is, what it used, and to be busy.</summary>
[Service, Isolated("tasks")]
public sealed class WorkerProbe
{
    public int ProcessId() => Environment.ProcessId;

    /// <summary>Managed bytes that the worker has allocated since it started.</summary>
    public long AllocatedBytes() => GC.GetTotalAllocatedBytes(precise: true);

    public void Nothing()
    {
    }

    /// <summary>Computes until it is cancelled.</summary>
    public void Burn(CancellationToken cancellationToken)
    {
        while (!cancellationToken.IsCancellationRequested)
            Thread.SpinWait(1000);
    }

    /// <summary>Makes a file, which shows that it runs, and waits for the end of its process.</summary>
    public string Hang(string path)
    {
        File.WriteAllBytes(path, []);
        Thread.Sleep(Timeout.Infinite);
        return path;
    }
}
