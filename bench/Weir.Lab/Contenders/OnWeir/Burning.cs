namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Computing without end on as many processors as there are: in workers, or on threads of the host.</summary>
internal sealed class Burning(bool onThreads, IWorkerProbeClient workers) : IDisposable
{
    private readonly CancellationTokenSource _enough = new();

    // Bounded by the processors.
    private readonly List<Task> _calls = [];

    public void Start()
    {
        for (var i = 0; i < Environment.ProcessorCount; i++)
            _calls.Add(onThreads ? Task.Factory.StartNew(() => new WorkerProbe().Burn(_enough.Token), TaskCreationOptions.LongRunning) : workers.Burn(_enough.Token).AsTask());
    }

    /// <summary>Returns when nothing computes any more.</summary>
    public async Task StopAsync()
    {
        await _enough.CancelAsync();
        await Task.WhenAll(_calls).ContinueWith(_ => { }, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
    }

    public void Dispose()
    {
        _enough.Cancel();
        _enough.Dispose();
    }
}
