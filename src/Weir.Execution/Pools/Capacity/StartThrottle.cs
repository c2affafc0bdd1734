using System.Diagnostics.CodeAnalysis;
using Weir.Execution.Threading;

namespace Weir.Execution.Pools.Capacity;

/// <summary>
/// Limits how many workers of all pools of a host start at the same time: as many as can make progress, the others in the order of
/// arrival. More would not be ready sooner, and each would hold memory. Any thread. How many wait is limited by the host's capacity.
/// </summary>
/// <param name="most">How many at a time.</param>
/// <param name="time">The clock.</param>
[SuppressMessage("Design", "CA1001", Justification = "A semaphore without a wait handle holds nothing.")]
internal sealed class StartThrottle(int most, TimeProvider time)
{
    /// <summary>The longest turn. A start that takes longer waits for something other than a processor, and other starts must not wait for that.</summary>
    public static readonly TimeSpan Longest = TimeSpan.FromSeconds(1);

    private readonly SemaphoreSlim _free = new(most);

    /// <summary>Waits for a turn.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>Disposed when the worker is ready or given up; disposing it twice is harmless.</returns>
    public async Task<IDisposable> TakeAsync(CancellationToken cancellationToken)
    {
        await _free.WaitAsync(cancellationToken).ConfigureAwait(false);
        return new Turn(_free, time);
    }

    private sealed class Turn : IDisposable
    {
        private readonly SemaphoreSlim _free;
        private readonly ITimer _end;
        private int _hasEnded;

        public Turn(SemaphoreSlim free, TimeProvider time)
        {
            _free = free;
            _end = Callbacks.CreateTimer(time, this, static turn => turn.Dispose(), static (_, _) => { });
            _end.Change(Longest, Timeout.InfiniteTimeSpan);
        }

        public void Dispose()
        {
            if (Interlocked.Exchange(ref _hasEnded, 1) == 0)
            {
                _end.Dispose();
                _free.Release();
            }
        }
    }
}
