namespace Weir.Execution.Processes;

/// <summary>
/// Which workers may poll instead of sleep, each together with its reader in the host: as many as find two processors, or polling
/// would keep those from running who are waited for. An awaited call goes on on the thread pool, whose threads poll too before they
/// sleep: for those one processor more must be there. Whoever gets a call asks; a holder without a call gives way. Any thread.
/// </summary>
/// <param name="most">How many hold one at a time.</param>
/// <param name="mostAwaited">How many of them for calls that are awaited.</param>
internal sealed class SpinTokens(int most, int mostAwaited)
{
    /// <summary>Who is refused asks again so much later.</summary>
    public static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(10);

    private readonly Lock _gate = new();

    // Under _gate.
    private readonly ISpinner?[] _holders = new ISpinner?[most];
    private int _next;

    /// <summary>Those of this process, for all its pools.</summary>
    public static SpinTokens Shared { get; } = For(Environment.ProcessorCount);

    /// <summary>As many as so many processors bear.</summary>
    public static SpinTokens For(int processors) => new(processors / 2, (processors - 1) / 2);

    /// <summary>Whether there is any for such a call.</summary>
    public bool HasAny(bool isAwaited) => (isAwaited ? mostAwaited : most) > 0;

    /// <summary>Gives it a token, if one is free or held by somebody who has nothing to do.</summary>
    public bool TryTake(ISpinner spinner, bool isAwaited)
    {
        var count = isAwaited ? mostAwaited : most;
        lock (_gate)
        {
            for (var i = 0; i < count; i++)
            {
                // In turn, so that two who alternate do not always take from the same third.
                var at = (_next + i) % count;
                var holder = _holders[at];
                if (holder is not null && (holder == spinner || holder.IsBusy))
                {
                    continue;
                }

                holder?.AllowSpin(false);
                _holders[at] = spinner;
                _next = at + 1;
                spinner.AllowSpin(true);
                return true;
            }

            return false;
        }
    }

    /// <summary>It is gone, or polls no more.</summary>
    public void Return(ISpinner spinner)
    {
        lock (_gate)
        {
            var at = Array.IndexOf(_holders, spinner);
            if (at >= 0)
            {
                _holders[at] = null;
                spinner.AllowSpin(false);
            }
        }
    }
}
