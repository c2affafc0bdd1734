using Weir.Load.Measuring;

namespace Weir.Load.Clients;

/// <summary>Requests when they are due: a thread counts them in, and idle tasks take them in order.</summary>
internal sealed class OpenLoad(LoadOptions options) : ClientLoad(options)
{
    private readonly SemaphoreSlim _due = new(0);
    private readonly Lock _gate = new();
    private readonly CancellationTokenSource _stopping = new();

    // Under _gate: what was taken. The thread has its own copy, which counts what is due.
    private Schedule? _schedule;
    private Thread? _thread;

    protected override long EndOfShares => _schedule?.EndOfShares ?? 0;

    public override void Begin(CancellationToken cancellationToken)
    {
        base.Begin(cancellationToken);
        var begin = CountsFrom - Stamp.Ticks(Options.WarmUp);
        _schedule = Create(begin);
        _thread = new Thread(() => Count(Create(begin), cancellationToken)) { IsBackground = true, Name = "load" };
        _thread.Start();
    }

    public override async ValueTask<long?> NextAsync(LoadResult result, CancellationToken cancellationToken)
    {
        var idleSince = Stamp.Now;
        try
        {
            await _due.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            return null;
        }

        long start;
        lock (_gate)
        {
            start = _schedule!.Next;
            if (start == long.MaxValue || (EndOfDuration != long.MaxValue && Stamp.Now - EndOfDuration > Stamp.Ticks(Options.Timeout)))
            {
                // For the next task.
                _due.Release();
                return null;
            }

            _schedule.Take();
        }

        if (start >= CountsFrom)
        {
            var now = Stamp.Now;
            var possible = Math.Clamp(idleSince, start, Math.Max(start, now));
            lock (result)
            {
                result.ConnectionWait.Record(Stamp.Nanoseconds(start, possible));
                result.Lateness.Record(Stamp.Nanoseconds(possible, now));
            }
        }

        return start;
    }

    public override bool Counts(long start, long now) => start >= CountsFrom;

    public override void End(LoadResult result)
    {
        var now = Stamp.Now;
        while (_schedule!.Next != long.MaxValue)
        {
            result.NotSent(_schedule.Take(), now);
        }
    }

    public override void Stop(LoadResult result) => result.Unfinished += _schedule!.TakeDue(CountsFrom, Stamp.Now);

    public override void Dispose()
    {
        _stopping.Cancel();
        _thread?.Join();
        _stopping.Dispose();
        _due.Dispose();
        base.Dispose();
    }

    private Schedule Create(long begin) =>
        new(Arrivals.Of(Options), begin, EndOfDuration == long.MaxValue ? TimeSpan.MaxValue : Options.WarmUp + (Options.Duration ?? LoadOptions.DefaultDuration), Options.Requests ?? long.MaxValue);

    private void Count(Schedule schedule, CancellationToken cancellationToken)
    {
        // A long gap is waited for in parts, so that the load can be stopped.
        var step = Stamp.Ticks(0.05);
        while (schedule.Next != long.MaxValue && !cancellationToken.IsCancellationRequested && !_stopping.IsCancellationRequested)
        {
            PreciseWait.Until(Math.Min(schedule.Next, Stamp.Now + step));
            var count = 0;
            for (var now = Stamp.Now; schedule.Next <= now; count++)
            {
                schedule.Take();
            }

            if (count > 0)
            {
                _due.Release(count);
            }
        }

        // Lets one task find out that there is nothing more; it lets the next one.
        _due.Release();
    }
}
