using Weir.Load.Measuring;

namespace Weir.Load.Clients;

/// <summary>Which requests the tasks of a client engine send, and when.</summary>
internal abstract class ClientLoad(LoadOptions options) : IDisposable
{
    protected LoadOptions Options => options;

    /// <summary>When the duration is over; <see cref="long.MaxValue"/> when a number of requests ends the load.</summary>
    public long EndOfDuration { get; private set; } = long.MaxValue;

    /// <summary>For how long the load has counted, after its end.</summary>
    /// <param name="isStopped">Whether it was stopped early.</param>
    public double Seconds(bool isStopped) => Math.Max(0, Stamp.Seconds(CountsFrom, Math.Min(isStopped ? Stamp.Now : Math.Max(Stamp.Now, EndOfShares), EndOfDuration)));

    /// <summary>Until when the requests that were sent are spread; zero where they are not sent by the clock.</summary>
    protected virtual long EndOfShares => 0;

    /// <summary>Since when requests count.</summary>
    protected long CountsFrom { get; private set; }

    /// <summary>The load begins now.</summary>
    public virtual void Begin(CancellationToken cancellationToken)
    {
        CountsFrom = Stamp.Now + Stamp.Ticks(options.WarmUp);
        if (options.Requests is null)
        {
            EndOfDuration = CountsFrom + Stamp.Ticks(options.Duration ?? LoadOptions.DefaultDuration);
        }
    }

    /// <summary>When the next request should be sent, once that is; <c>null</c> when there is none, or the load was ended. Any number of tasks at a time.</summary>
    public abstract ValueTask<long?> NextAsync(LoadResult result, CancellationToken cancellationToken);

    /// <summary>Whether what arrives now for a request that should have been sent at <paramref name="start"/> is counted.</summary>
    public abstract bool Counts(long start, long now);

    /// <summary>All tasks have ended: counts what was not sent.</summary>
    public virtual void End(LoadResult result)
    {
    }

    /// <summary>All tasks have ended because the load was stopped early: counts what was due until now and was not sent.</summary>
    public virtual void Stop(LoadResult result)
    {
    }

    public virtual void Dispose()
    {
    }
}
