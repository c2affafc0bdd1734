using System.Diagnostics.CodeAnalysis;

namespace Weir.Http.FanOut;

/// <summary>
/// The tokens of requests: they fire when the fan-out ends, and when the time of the request is over. Requests that are sent shortly after each other share
/// one, since a token source with a timer for each would be a large part of what a request allocates. Thread-safe.
/// </summary>
/// <param name="timeout">The time for each request, or infinite.</param>
/// <param name="time">The clock.</param>
/// <param name="stopping">The fan-out ends.</param>
[SuppressMessage("Design", "CA1001", Justification = "A source that has fired holds nothing, and all fire at the end.")]
internal sealed class RequestTokens(TimeSpan timeout, TimeProvider time, CancellationToken stopping)
{
    // Those that share a token are sent within this part of their time, and have so much longer at most.
    private const int Parts = 64;

    private readonly object _gate = new();

    // Under _gate. The oldest first; those that have not fired.
    private readonly Queue<CancellationTokenSource> _sources = new();
    private CancellationTokenSource? _latest;
    private long _latestFrom;
    private bool _isShared;

    /// <summary>The token of a request that is sent now.</summary>
    /// <param name="now">The time, as a timestamp of the clock.</param>
    public CancellationToken For(long now)
    {
        if (timeout == Timeout.InfiniteTimeSpan)
        {
            return stopping;
        }

        lock (_gate)
        {
            var left = (timeout / Parts) - time.GetElapsedTime(_latestFrom, now);
            if (_latest is null || left <= TimeSpan.Zero || _latest.IsCancellationRequested)
            {
                while (_sources.TryPeek(out var oldest) && oldest.IsCancellationRequested)
                {
                    _sources.Dequeue();
                }

                _sources.Enqueue(_latest = new CancellationTokenSource(timeout, time));
                (_latestFrom, _isShared) = (now, false);
            }
            else if (!_isShared)
            {
                // The time of the last one that may share it.
                _latest.CancelAfter(timeout + left);
                _isShared = true;
            }

            return stopping.IsCancellationRequested ? stopping : _latest.Token;
        }
    }

    /// <summary>The fan-out ends: fires all tokens. Throws what callbacks threw, after the last of them.</summary>
    public void Cancel()
    {
        CancellationTokenSource[] sources;
        lock (_gate)
        {
            sources = [.. _sources];
        }

        List<Exception>? failures = null;
        foreach (var source in sources)
        {
            try
            {
                source.Cancel();
            }
            catch (AggregateException failure)
            {
                // A callback of one request must not keep the others running.
                (failures ??= []).AddRange(failure.InnerExceptions);
            }
        }

        if (failures is not null)
        {
            throw new AggregateException(failures);
        }
    }
}
