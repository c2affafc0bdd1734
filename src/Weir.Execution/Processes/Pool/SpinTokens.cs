namespace Weir.Execution.Processes;

/// <summary>
/// Which workers may poll instead of sleep, each together with its reader in the host: at most one fewer than there are
/// processors, or polling would keep those from running who are waited for. Whoever gets a call asks; a holder without a call
/// gives way. Any thread.
/// </summary>
internal sealed class SpinTokens
{
    /// <summary>Who is refused asks again so much later.</summary>
    public static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(10);

    private readonly Lock _gate = new();

    // Under _gate.
    private readonly ISpinner?[] _holders;
    private int _next;

    /// <param name="count">How many hold one at a time.</param>
    public SpinTokens(int count) => _holders = new ISpinner?[count];

    /// <summary>Those of this process, for all its pools.</summary>
    public static SpinTokens Shared { get; } = new(Math.Max(1, Environment.ProcessorCount - 1));

    /// <summary>Gives it a token, if one is free or held by somebody who has nothing to do.</summary>
    public bool TryTake(ISpinner spinner)
    {
        lock (_gate)
        {
            for (var i = 0; i < _holders.Length; i++)
            {
                // In turn, so that two who alternate do not always take from the same third.
                var at = (_next + i) % _holders.Length;
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

    /// <summary>It is gone.</summary>
    public void Return(ISpinner spinner)
    {
        lock (_gate)
        {
            var at = Array.IndexOf(_holders, spinner);
            if (at >= 0)
            {
                _holders[at] = null;
            }
        }
    }
}
