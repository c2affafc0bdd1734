using System.Diagnostics;

namespace Showcase;

/// <summary>One running producer. It ends in <see cref="Dispose"/>: finished if it said so before, stopped early if not.</summary>
public sealed class Producer : IDisposable
{
    private readonly ProducerCounts _counts;
    private readonly long _startedAt = Stopwatch.GetTimestamp();
    private readonly CancellationTokenRegistration _registration;

    // Has no timer and no links, so there is nothing to dispose.
    private readonly CancellationTokenSource _stop = new();
    private long _heardAt;
    private bool _finished;

    internal Producer(ProducerCounts counts, CancellationToken cancellationToken)
    {
        _counts = counts;
        _registration = cancellationToken.UnsafeRegister(static producer => ((Producer)producer!).Hear(), this);
    }

    /// <summary>
    /// Fires after the caller's token. Waiting on this one and not on the caller's own keeps the clock honest: callbacks
    /// run in reverse order, and the producer could be gone before the time was taken.
    /// </summary>
    public CancellationToken Token => _stop.Token;

    /// <summary>Says that everything was produced.</summary>
    public void Finish() => _finished = true;

    public void Dispose()
    {
        _registration.Dispose();
        if (_finished)
        {
            _counts.Finished();
        }
        else
        {
            _counts.StoppedEarly(SinceDisconnect());
        }
    }

    private void Hear()
    {
        Volatile.Write(ref _heardAt, Stopwatch.GetTimestamp());
        _stop.Cancel();
    }

    /// <summary>
    /// The caller's leaving is seen first in the host: for an isolated producer that is before its token fires. Where the
    /// host has noted none since this producer started, its own token counts. A failed write can end the producer before
    /// its token fires; then it stops at the moment at which the leaving is seen.
    /// </summary>
    private long SinceDisconnect()
    {
        var now = Stopwatch.GetTimestamp();
        var heardAt = Volatile.Read(ref _heardAt);
        var leftAt = heardAt == 0 ? now : heardAt;
        var seenByHost = _counts.LastDisconnect;
        return now - (seenByHost > _startedAt && seenByHost < leftAt ? seenByHost : leftAt);
    }
}
