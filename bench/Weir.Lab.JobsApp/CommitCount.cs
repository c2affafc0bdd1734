using System.Diagnostics.Metrics;

namespace Weir.Lab.Jobs;

/// <summary>How many commits the store has made in this process, by Weir's own meter.</summary>
internal sealed class CommitCount : IDisposable
{
    private readonly MeterListener _listener = new();
    private long _commits;

    public CommitCount()
    {
        _listener.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument.Name == "weir.job.store.commit.batch")
                listener.EnableMeasurementEvents(instrument);
        };
        _listener.SetMeasurementEventCallback<int>((_, _, _, _) => Interlocked.Increment(ref _commits));
        _listener.Start();
    }

    public long Commits => Interlocked.Read(ref _commits);

    public void Dispose() => _listener.Dispose();
}
