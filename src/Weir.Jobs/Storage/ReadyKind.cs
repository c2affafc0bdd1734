using Weir.Jobs.Rules;

namespace Weir.Jobs.Storage;

/// <summary>
/// What one commit claims of one kind, in the order that all stores have: priorities by their weights, within a priority one job of each key in turn, within a key the oldest. Keys of which as many jobs run as may
/// are left out. While it is used, no job of the kind becomes ready, and only jobs that it starts begin to run.
/// </summary>
internal abstract class ReadyKind
{
    private readonly bool[] _mayHave = [true, true, true];

    /// <summary>Starts the next job.</summary>
    /// <param name="claim">Its turn moves.</param>
    /// <returns><c>null</c> where no job may start.</returns>
    public ClaimedJob? Next(KindClaim claim)
    {
        while (claim.Limits is not { } limits || Running.HasRoom(limits))
        {
            if (PriorityTurns.Next(claim.Turn.Number, _mayHave) is not (var priority, var next))
            {
                return null;
            }

            if (Find(priority, claim.Turn.After(priority), claim.Limits) is { } key)
            {
                claim.Turn = claim.Turn.Served(next, priority, key);
                return Start();
            }

            // Neither a job nor room for its key comes before the commit ends.
            _mayHave[(int)priority + 1] = false;
        }

        return null;
    }

    /// <summary>Moves to the oldest job of the first key, of those after this one.</summary>
    /// <param name="priority">Of the job.</param>
    /// <param name="afterKey"><c>null</c> for the first key of all.</param>
    /// <returns>The key; <c>null</c> where there is no such job.</returns>
    protected abstract string? Move(JobPriority priority, string? afterKey);

    /// <summary>Starts the job that was moved to.</summary>
    protected abstract ClaimedJob Start();

    /// <summary>What runs of the kind. Asked for only where there is a limit.</summary>
    protected abstract RunningCounts Running { get; }

    // At most twice as many keys are passed over as there are running jobs.
    private string? Find(JobPriority priority, string? afterKey, KindLimits? limits)
    {
        var key = afterKey;
        for (var hasBegunAgain = key is null; ;)
        {
            key = Move(priority, key);
            if (key is null)
            {
                if (hasBegunAgain)
                {
                    return null;
                }

                hasBegunAgain = true;
            }
            else if (limits is null || Running.HasRoom(limits, key))
            {
                return key;
            }
        }
    }
}
