using Weir.Load.Measuring;

namespace Weir.Load.Clients;

/// <summary>The next request of a task when the last one has ended.</summary>
internal sealed class ClosedLoad(LoadOptions options) : ClientLoad(options)
{
    private long _sent;

    public override ValueTask<long?> NextAsync(LoadResult result, CancellationToken cancellationToken)
    {
        var now = Stamp.Now;
        return new(now < EndOfDuration && !cancellationToken.IsCancellationRequested && Interlocked.Increment(ref _sent) <= (Options.Requests ?? long.MaxValue) ? now : default(long?));
    }

    public override bool Counts(long start, long now) => now >= CountsFrom;
}
